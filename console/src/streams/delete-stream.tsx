import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { countText } from '../developers/count-text.ts'

type Parts = {
  readonly stream: SsfStream
  /** Undefined while it is not known. */
  readonly waiting: number | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteStream({ stream, waiting, isOpen, onClose, onDeleted }: Parts) {
  const name = visibleText(stream.name)
  const remove = useAction({
    act: () => api('deleteSsfStream', { params: { streamId: stream.id } }),
    hasForm: true,
    said: () => `“${name}” is deleted`,
    onDone: onDeleted,
  })
  const isPush = stream.delivery_type === 'push'
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      question={`Delete “${name}”?`}
      consequences={[
        isPush
          ? `${new URL(stream.delivery.endpoint_url).host} receives no device changes from now on.`
          : 'Polling is refused from now on; its poll tokens stop working.',
        waiting === 1
          ? '1 waiting event is not sent.'
          : waiting === undefined
            ? 'Waiting events are not sent.'
            : `${waiting === 0 ? 'No events are waiting' : `${countText(waiting)} waiting events are not sent`}.`,
        'Its ledger is deleted. This cannot be undone; a new stream has a new identifier.',
      ]}
      stays="Events already received stay with the receiver, and the audit log stays."
      verb="Delete the stream"
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      fault={remove.faultBeside}
    />
  )
}
