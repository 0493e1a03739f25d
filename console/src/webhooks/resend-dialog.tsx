import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useAction } from '../components/use-action.ts'
import { RangeDialog } from '../developers/range-dialog.tsx'
import type { ResendRange } from './webhook-queries.ts'

const states = [
  { value: 'failed', text: 'Everything that failed' },
  { value: 'delivered', text: 'Everything that was delivered' },
] as const

/** The server does 10,000 at a time and says where to continue. */
async function resendAll(endpointId: string, { from, to, state }: ResendRange): Promise<number> {
  let sent = 0
  let end = to
  let after: string | null | undefined
  do {
    const body = { from, to: end, ...(state && { states: [state] }), ...(after && { after_id: after }) }
    const answer = await api('resendWebhookDeliveries', { params: { endpointId }, body })
    sent += answer.resent_count
    end = answer.to
    after = answer.next_after_id
  } while (after !== null)
  return sent
}

type Parts = { readonly endpointId: string; readonly isOpen: boolean; readonly onClose: () => void }

export function ResendDialog({ endpointId, isOpen, onClose }: Parts) {
  const resend = useAction({
    act: (range: ResendRange) => resendAll(endpointId, range),
    refresh: ['webhooks'],
    hasForm: true,
    said: (count) =>
      count === 1 ? '1 message is sent again' : `${count.toLocaleString('en')} messages are sent again`,
    onDone: onClose,
  })
  return (
    <RangeDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Send again from…"
      what="Each message of this period is sent again, with the same id and body. Messages already waiting, or delivered since, are left alone."
      nouns={['message', 'messages']}
      states={states}
      firstState="failed"
      counting={(range) => query('countWebhookResend', { params: { endpointId }, query: range })}
      onSend={(range) => resend.mutate(range)}
      isBusy={resend.isPending}
      fault={resend.faultBeside}
    />
  )
}
