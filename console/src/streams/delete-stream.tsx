import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
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
    act: () => request(`/ssf_streams/${stream.id}`, { method: 'DELETE' }),
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
          ? `${new URL(stream.delivery.endpoint_url).host} hears of no change of any device from now on.`
          : 'Whoever polls it is refused from now on; its poll tokens end.',
        waiting === 1
          ? '1 event that waits is not sent any more.'
          : waiting === undefined
            ? 'What waits for it is not sent any more.'
            : `${waiting === 0 ? 'No event waits' : `${countText(waiting)} events that wait are not sent any more`}.`,
        'Its ledger goes with it. It cannot be brought back; a new stream has another identifier.',
      ]}
      stays="What the receiver holds already stays there, and the audit log stays here."
      verb="Delete the stream"
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      fault={remove.faultBeside()}
    />
  )
}
