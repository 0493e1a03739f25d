import { Button } from '@mantine/core'
import { type ChangeEvent, useRef, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { GuideLink } from '../components/guide-link.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'
import { OwnerListDialog } from './owner-list-dialog.tsx'

const maxCharacters = 500_000
const tooLong = 'The file has more than 500,000 characters. Split it.'

/** Owners by a CSV file: what each line does is shown before any of it is done. */
export function OwnerList() {
  const mayUpdate = useMay('update_devices')
  const [isTooLong, setIsTooLong] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const preview = useAction({ act: (csv: string) => api('previewOwnerList', { body: { csv } }), hasForm: true })
  const choose = async (field: HTMLInputElement) => {
    const text = await field.files?.[0]?.text()
    // The same file can be chosen again after it was changed.
    field.value = ''
    if (text === undefined) return
    setIsTooLong(text.length > maxCharacters)
    if (text.length <= maxCharacters) preview.mutate(text)
    else preview.reset()
  }
  const refused = preview.faultOf('csv')
  const fault = isTooLong ? tooLong : refused === undefined ? preview.faultBeside() : `The file ${refused}.`
  return (
    <Block
      title="Assign owners from a list"
      about="A CSV file with a serial number or hardware UUID and an e-mail address in each line. You see what each line does first."
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
      {preview.data && <OwnerListDialog lines={preview.data.lines} onClose={preview.reset} />}
    </Block>
  )
}
