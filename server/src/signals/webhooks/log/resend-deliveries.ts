import type { Tx } from '../../../base/db/transact.ts'
import { fail, orNotFound } from '../../../base/errors.ts'
import { type Actor, recordAudit } from '../../audit/record-audit.ts'
import { type Destination, lockDestination } from '../../webhook-ledger/log/find-destination.ts'
import { repeatDelivery, repeatRange } from '../../webhook-ledger/log/repeat-deliveries.ts'
import type { Range } from './choose-range.ts'
import { describeDestination, refuseDisabled } from './describe-destination.ts'

type Asked = { organizationId: string; endpointId: string; actor: Actor; now: string }

/**
 * Queues a delivery's message once more and returns the new delivery's id; of a message that is being retried, makes the
 * delivery due that waits, and returns its id. Fails with not_found, endpoint_disabled, and delivery_pending while the
 * message is due for the endpoint.
 */
export async function resendDelivery(
  tx: Tx,
  asked: Asked & { deliveryId: string },
): Promise<{ id: string; isNew: boolean }> {
  const destination = await lockEnabled(tx, asked)
  const repeat = await repeatDelivery(tx, asked, asked.now)
  if (repeat.kind === 'missing') return fail('not_found')
  if (repeat.kind === 'waiting') return fail('delivery_pending')
  await audit(tx, asked, destination, 'a delivery')
  return { id: repeat.id, isNew: repeat.kind === 'queued' }
}

/**
 * The same for a range of deliveries, at most 10,000 at a time; messages that wait already are left alone. Returns how
 * many, and where to continue.
 */
export async function resendRange(
  tx: Tx,
  { range, ...asked }: Asked & { range: Range },
  most?: number,
): Promise<{ count: number; goOnAfter: string | null }> {
  const destination = await lockEnabled(tx, asked)
  const { organizationId, endpointId, now } = asked
  const repeated = await repeatRange(tx, { ...range, organizationId, endpointId }, now, most)
  const { count } = repeated
  if (count > 0) await audit(tx, asked, destination, count === 1 ? '1 delivery' : `${count} deliveries`)
  return repeated
}

async function lockEnabled(tx: Tx, asked: Asked): Promise<Destination> {
  const destination = orNotFound(await lockDestination(tx, asked))
  refuseDisabled(destination)
  return destination
}

const audit = (tx: Tx, { organizationId, endpointId, actor, now }: Asked, destination: Destination, what: string) =>
  recordAudit(tx, {
    ...{ organizationId, actor, now },
    about: { webhook: endpointId },
    description: `Sent ${what} to ${describeDestination(destination)} again.`,
  })
