import { Button, Modal, Textarea, TextInput } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'

type Change = { readonly name?: string; readonly note?: string | null }

/** Name and note: at once, with a way back. */
export function EditDeviceDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const [name, setName] = useState(device.name)
  const [note, setNote] = useState(device.note ?? '')
  const parts = {
    act: (change: Change) => api('describeDevice', { params: { id: device.id }, body: change }),
    refresh: ['devices', 'audit'] as const,
  }
  const takeBack = useAction<Change>({ ...parts, said: () => 'Undone' })
  const save = useAction<Change>({
    ...parts,
    said: () => 'Saved',
    undo: () => ({ label: 'Undo', run: () => takeBack.mutate({ name: device.name, note: device.note }) }),
    onDone: onClose,
    hasForm: true,
  })
  const change = {
    ...(name.trim() !== device.name && { name }),
    ...(note.trim() !== (device.note ?? '') && { note: note.trim() === '' ? null : note }),
  }
  const lack = name.trim() === '' ? 'Enter a name for the device' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (lack !== undefined) return
    if (Object.keys(change).length === 0) onClose()
    else save.mutate(change)
  }
  return (
    <Modal opened onClose={onClose} title="Edit the device" withCloseButton={false}>
      <form className="confirm" onSubmit={submit}>
        <TextInput
          label="Name"
          description="Kept when the device enrolls again"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={save.faultOf('name', lack)}
          maxLength={200}
          data-autofocus
        />
        <Textarea
          label="Note"
          description="For administrators. The owner does not see it."
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          error={save.faultOf('note')}
          maxLength={2_000}
          rows={4}
        />
        <FormFault error={save.faultBeside} />
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={save.isPending}>
            Save the device
          </Button>
        </div>
      </form>
    </Modal>
  )
}
