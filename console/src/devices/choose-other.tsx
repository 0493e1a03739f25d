import { Button, Modal, TextInput } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../api/query.ts'
import { LoadFailure } from '../components/notices.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly device: Pick<Device, 'id' | 'name'>
  readonly onChoose: (id: string) => void
  readonly onClose: () => void
}

const shortest = 2

/** Which record is the same machine, by a part of its name or serial. */
export function ChooseOther({ device, onChoose, onClose }: Parts) {
  const [text, setText] = useState('')
  const wanted = useDebounced(text.trim(), 200)
  const found = useQuery({
    ...query('findByName', { query: { q: wanted } }, { enabled: wanted.length >= shortest }),
    select: ({ data }) => data.filter(({ kind, id }) => kind === 'device' && id !== device.id),
  })
  return (
    <Modal opened onClose={onClose} title={`Merge a device into ${visibleText(device.name)}`} withCloseButton={false}>
      <div className="confirm">
        <TextInput
          label="The other record of this machine"
          description="Part of its name or serial"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        <LoadFailure what="Devices" query={found} />
        <section className="stack" aria-label="Devices found">
          {found.data?.map(({ id, name, detail }) => (
            <Button key={id} variant="default" onClick={() => onChoose(id)}>
              {visibleText(name)} · {detail === null ? `device ${id}` : visibleText(detail)}
            </Button>
          ))}
          {found.data?.length === 0 && <p className="secondary">No other devices match.</p>}
        </section>
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Modal>
  )
}
