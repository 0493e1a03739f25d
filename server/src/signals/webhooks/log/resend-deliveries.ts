import type { ChangeContext } from '../../../base/change-context.ts'
import type { Tx } from '../../../base/db/transact.ts'
import { fail, orNotFound } from '../../../base/errors.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import { type Destination, lockDestination } from '../../webhook-ledger/log/find-destination.ts'
import { repeatDelivery, repeatRange } from '../../webhook-ledger/log/repeat-deliveries.ts'
import type { Range } from './choose-range.ts'
import { describeDestination, refuseDisabled } from './describe-destination.ts'

type Asked = { endpointId: string }

/**
 * Queues a delivery's message once more and returns the new delivery's id; of a message that is being retried, makes the
 * delivery due that waits, and returns its id. Fails with not_found, endpoint_disabled, and delivery_pending while the
 * message is due for the endpoint.
 */
export async function resendDelivery(
  tx: Tx,
  asked: Asked & { deliveryId: string },
  context: ChangeContext,
): Promise<{ id: string; isNew: boolean }> {
  const { organizationId, now } = context
  const destination = await lockEnabled(tx, asked, context)
  const repeat = await repeatDelivery(tx, { organizationId, ...asked }, now)
  if (repeat.kind === 'missing') return fail('not_found')
  if (repeat.kind === 'waiting') return fail('delivery_pending')
  await audit(tx, asked, destination, 'a delivery', context)
  return { id: repeat.id, isNew: repeat.kind === 'queued' }
}

/**
 * The same for a range of deliveries, at most 10,000 at a time; messages that wait already are left alone. Returns how
 * many, and where to continue.
 */
export async function resendRange(
  tx: Tx,
  { range, most, ...asked }: Asked & { range: Range; most?: number },
  context: ChangeContext,
): Promise<{ count: number; goOnAfter: string | null }> {
  const destination = await lockEnabled(tx, asked, context)
  const { organizationId, now } = context
  const repeated = await repeatRange(tx, { ...range, ...asked, organizationId }, now, most)
  const { count } = repeated
  if (count > 0) await audit(tx, asked, destination, count === 1 ? '1 delivery' : `${count} deliveries`, context)
  return repeated
}

async function lockEnabled(tx: Tx, { endpointId }: Asked, { organizationId }: ChangeContext): Promise<Destination> {
  const destination = orNotFound(await lockDestination(tx, { organizationId, endpointId }))
  refuseDisabled(destination)
  return destination
}

const audit = (tx: Tx, { endpointId }: Asked, destination: Destination, what: string, context: ChangeContext) =>
  recordAudit(
    tx,
    {
      action: 'webhook.deliveries_resent',
      about: { webhook: endpointId },
      description: `Sent ${what} to ${describeDestination(destination)} again.`,
    },
    context,
  )
