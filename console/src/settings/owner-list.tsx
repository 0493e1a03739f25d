import { Button } from '@mantine/core'
import { notText, textOfBytes } from '@muster/contract/text-of-bytes.ts'
import { type ChangeEvent, useRef, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { besideAfter, FormFault } from '../components/form-fault.tsx'
import { GuideLink } from '../components/guide-link.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'
import { OwnerListDialog } from './owner-list-dialog.tsx'

const maxCharacters = 500_000
/** A character of the text has at most three bytes in UTF-8, and two in UTF-16. */
const maxBytes = 3 * maxCharacters
const tooLong = 'has more than 500,000 characters: split it'

/** Owners by a CSV file: what each line does is shown before any of it is done. */
export function OwnerList() {
  const mayUpdate = useMay('update_devices')
  const [unread, setUnread] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const preview = useAction({ act: (csv: string) => api('previewOwnerList', { body: { csv } }), hasForm: true })
  const choose = async (field: HTMLInputElement) => {
    const file = field.files?.[0]
    if (!file) return
    const read = await readList(file)
    // The same file can be chosen again after it was changed.
    field.value = ''
    setUnread(read.fault)
    if (read.text === undefined) preview.reset()
    else preview.mutate(read.text)
  }
  const refused = unread ?? preview.faultOf('csv')
  const fault = besideAfter(refused && `The file ${refused}.`, preview.faultBeside)
  return (
    <Block
      title="Assign owners from a list"
      about="A CSV file with a serial number or hardware UUID and an e-mail address in each line, such as an export of Intune, Jamf or Kandji. You see what each line does first."
    >
      <div className="row">
        {mayUpdate && (
          <>
            <input
              ref={input}
              hidden
              type="file"
              accept=".csv,text/csv,text/plain"
              aria-label="CSV file with owners"
              onChange={({ currentTarget }: ChangeEvent<HTMLInputElement>) => void choose(currentTarget)}
            />
            <Button onClick={() => input.current?.click()} loading={preview.isPending}>
              Choose a file…
            </Button>
          </>
        )}
        <GuideLink name="owners">How lists are written</GuideLink>
      </div>
      <FormFault error={fault} />
      {preview.data && <OwnerListDialog preview={preview.data} onClose={preview.reset} />}
    </Block>
  )
}

async function readList(file: File): Promise<{ text?: string; fault?: string }> {
  const text = file.size <= maxBytes ? textOfBytes(new Uint8Array(await file.arrayBuffer())) : ''
  if (text === undefined) return { fault: notText }
  return file.size > maxBytes || text.length > maxCharacters ? { fault: tooLong } : { text }
}
