import { TextInput } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly stream: SsfStream
  readonly status: 'paused' | 'disabled'
  readonly isOpen: boolean
  readonly onClose: () => void
}

const words = {
  paused: {
    verb: 'Pause the stream',
    ask: (name: string) => `Pause “${name}”?`,
    consequences: ['Its receiver gets no changes from now on.', 'The receiver is notified, with the reason.'],
    stays: 'Events are kept, and sent in order when you enable the stream again.',
    said: 'The stream is paused; events are kept',
  },
  disabled: {
    verb: 'Disable the stream',
    ask: (name: string) => `Disable “${name}”?`,
    consequences: [
      'Its receiver gets no changes from now on.',
      'Events in the meantime are not queued and never sent. Afterwards, the receiver has to read the snapshot.',
      'The receiver is notified, with the reason.',
    ],
    stays: 'Events already waiting are sent when you enable the stream again.',
    said: 'The stream is disabled; nothing more is queued for it',
  },
} as const

export function StatusDialog({ stream, status, isOpen, onClose }: Parts) {
  const [reason, setReason] = useState('')
  const { verb, ask, consequences, stays, said } = words[status]
  const change = useAction({
    act: () =>
      api('changeSsfStreamStatus', {
        params: { streamId: stream.id },
        body: { status, reason: reason.trim() === '' ? null : reason.trim() },
      }),
    refresh: ['streams'],
    hasForm: true,
    said: () => said,
    undo: () => ({ label: 'Undo', run: () => undo.mutate() }),
    onDone: () => {
      setReason('')
      onClose()
    },
  })
  const undo = useAction({
    act: () => api('changeSsfStreamStatus', { params: { streamId: stream.id }, body: { status: 'enabled' } }),
    refresh: ['streams'],
    said: () => 'The stream is enabled again',
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      question={ask(visibleText(stream.name))}
      consequences={consequences}
      stays={stays}
      verb={verb}
      isDangerous={status === 'disabled'}
      onConfirm={() => change.mutate()}
      isBusy={change.isPending}
      fault={change.faultBeside}
    >
      <TextInput
        label="Reason (optional)"
        value={reason}
        maxLength={500}
        error={change.faultOf('reason')}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmDialog>
  )
}
