import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import type { SignInPause } from '@muster/contract/sign-in-exceptions.ts'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly connection: SignInConnectionView; readonly isOpen: boolean; readonly onClose: () => void }

export const PauseDialog = ({ isOpen, ...parts }: Parts) => (
  <Modal
    opened={isOpen}
    onClose={parts.onClose}
    title={`Pause “${visibleText(parts.connection.name)}”`}
    withCloseButton={false}
  >
    {isOpen && <PauseForm {...parts} />}
  </Modal>
)

const durations = [
  ['30', '30 minutes'],
  ['60', '1 hour'],
  ['240', '4 hours'],
  ['480', '8 hours'],
  ['1440', '24 hours'],
] as const

function PauseForm({ connection, onClose }: Omit<Parts, 'isOpen'>) {
  const pause = useAction({
    act: (body: SignInPause) => api('pauseSignInConnection', { params: { id: connection.id }, body }),
    refresh: ['connections', 'audit'],
    said: () => `“${visibleText(connection.name)}” is paused`,
    onDone: onClose,
    hasForm: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (field: string) => String(form.get(field) ?? '').trim()
    pause.mutate({ minutes: Number(text('minutes')), reason: text('reason') })
  }
  return (
    <form onSubmit={submit} className="confirm">
      <p className="secondary">
        Known people get in without the check of their device. It enforces again by itself. The application still learns
        the truth about each device.
      </p>
      <NativeSelect
        name="minutes"
        label="For"
        defaultValue="60"
        data={durations.map(([value, label]) => ({ value, label }))}
        data-autofocus
      />
      <TextInput
        name="reason"
        label="Reason"
        description="For the audit log."
        maxLength={200}
        required
        withAsterisk={false}
        error={pause.faultOf('reason')}
      />
      <FormFault error={pause.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={pause.isPending}>
          Pause
        </Button>
      </div>
    </form>
  )
}
