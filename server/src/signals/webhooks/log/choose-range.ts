import type { FieldError } from '@muster/contract/errors.ts'
import type { WebhookResendRequest } from '@muster/contract/webhook-deliveries.ts'
import { dateTimeForms, parseDateTime } from '../../../base/lists/parse-date-time.ts'
import type { RepeatRange } from '../../webhook-ledger/log/repeat-deliveries.ts'

export type Range = Omit<RepeatRange, 'organizationId' | 'endpointId'>

/** The range of deliveries that a request asks for, or what is wrong with it. It ends at `now` at the latest. */
export function rangeOf(request: WebhookResendRequest, now: string): Range | FieldError[] {
  const { states = ['failed'], after_id: afterId } = request
  const from = parseDateTime(request.from)
  const to = request.to === undefined ? now : parseDateTime(request.to)
  if (from === undefined) return [{ field: 'from', message: notATime }]
  if (to === undefined) return [{ field: 'to', message: notATime }]
  // Repeats that the call before queued would be within a range that ends later.
  if (afterId !== undefined && request.to === undefined) {
    return [{ field: 'to', message: 'must be there beside after_id: send the one of the answer before' }]
  }
  return { from, to: to < now ? to : now, states, afterId: String(afterId ?? 0) }
}

const notATime = `must be ${dateTimeForms}`
