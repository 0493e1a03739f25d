import type { SettledDeliveryState } from '@muster/contract/webhook-deliveries.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Tx } from '../../../base/db/transact.ts'
import { notify } from '../queue-webhooks.ts'
import type { DeliveryKey } from './queries.ts'

/**
 * Queues the message of a delivery for its endpoint once more, due at once. Where it is being retried there already, as
 * this delivery or a repeat of it, that one is made due. `waiting`: it is due already. Asked for while `lockDestination`
 * holds, so that the same is not queued twice.
 */
export async function repeatDelivery(
  tx: Tx,
  { organizationId, endpointId, deliveryId }: DeliveryKey,
  now: string,
): Promise<{ kind: 'queued' | 'moved up'; id: string } | { kind: 'waiting' } | { kind: 'missing' }> {
  // Locked, so that its message is not removed meanwhile.
  const original = await tx
    .selectFrom('webhook_deliveries')
    .select(['message_id', 'event', 'device_id', 'ordered_by'])
    .where(inOrganization('webhook_deliveries', organizationId))
    .where('endpoint_id', '=', endpointId)
    .where('id', '=', deliveryId)
    .forKeyShare()
    .executeTakeFirst()
  if (!original) return { kind: 'missing' }
  const waiting = await tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where(inOrganization('webhook_deliveries', organizationId))
    .where('message_id', '=', original.message_id)
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'pending')
    .limit(1)
    .executeTakeFirst()
  if (waiting) return retryDeliveryNow(tx, { organizationId, endpointId, deliveryId: waiting.id }, now)
  const repeat = { organization_id: organizationId, endpoint_id: endpointId, ...original, resent_from: deliveryId }
  const { id } = await tx
    .insertInto('webhook_deliveries')
    .values({ ...repeat, queued_at: now, next_attempt_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await notify(tx, organizationId)
  return { kind: 'queued', id }
}

/**
 * The attempt is early, and so uses up none of the schedule: it is subtracted here, since the process that sends it
 * finds it due. An attempt that is under way writes its own next moment over this one, so that nothing is sent twice.
 */
async function retryDeliveryNow(tx: Tx, { organizationId, endpointId, deliveryId }: DeliveryKey, now: string) {
  const movedUp = await tx
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: now, extra_attempts: sql`least(extra_attempts + 1, attempts)` })
    .where(inOrganization('webhook_deliveries', organizationId))
    .where('endpoint_id', '=', endpointId)
    .where('id', '=', deliveryId)
    .where('state', '=', 'pending')
    .where('attempts', '>', 0)
    .where('next_attempt_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  if (!movedUp) return { kind: 'waiting' } as const
  await notify(tx, organizationId)
  return { kind: 'moved up', id: movedUp.id } as const
}

export type RepeatRange = {
  organizationId: string
  endpointId: string
  from: string
  to: string
  states: readonly SettledDeliveryState[]
  afterId: string
}

/** Bounds the transaction and its locks. */
const maxAtOnce = 10_000

/**
 * The same for every message of a range, in the order of the messages; returns how many, and the last delivery's id
 * when there may be more. Left out are messages that wait there already, and unless what was delivered is asked for,
 * those that were delivered since. Of several deliveries of a message the first counts.
 */
export async function repeatRange(
  tx: Tx,
  range: RepeatRange,
  now: string,
  most = maxAtOnce,
): Promise<{ count: number; goOnAfter: string | null }> {
  const { rows } = await sql<{ count: string; last: string | null }>`
    with chosen as materialized (
      select chosen.* from webhook_deliveries as chosen
      where ${isRepeated(range)}
      order by chosen.id limit ${most}::integer
      for key share
    ), repeated as (
      insert into webhook_deliveries
        (organization_id, endpoint_id, message_id, event, device_id, ordered_by, queued_at, next_attempt_at, resent_from)
      select organization_id, endpoint_id, message_id, event, device_id, ordered_by,
        ${now}::timestamptz, ${now}::timestamptz, id
      from chosen order by message_id
      returning resent_from
    )
    select count(*) as count, max(resent_from) as last from repeated
  `.execute(tx)
  const [{ count, last } = { count: '0', last: null }] = rows
  if (count === '0') return { count: 0, goOnAfter: null }
  await notify(tx, range.organizationId)
  return { count: Number(count), goOnAfter: Number(count) === most ? last : null }
}

/** Which deliveries, called `chosen`, a range repeats. */
export const isRepeated = ({
  organizationId,
  endpointId,
  from,
  to,
  states,
  afterId,
}: RepeatRange): RawBuilder<SqlBool> =>
  sql`chosen.organization_id = ${organizationId}::bigint
    and chosen.endpoint_id = ${endpointId}::bigint and chosen.id > ${afterId}::bigint
    and chosen.queued_at >= ${from}::timestamptz and chosen.queued_at < ${to}::timestamptz
    and chosen.state = any(${states}::text[])
    and not exists (
      select from webhook_deliveries as other
      where other.organization_id = chosen.organization_id and other.message_id = chosen.message_id
        and other.endpoint_id = chosen.endpoint_id and (
          other.state = 'pending'
          or (other.id > chosen.id and other.state = 'delivered' and 'delivered' <> all(${states}::text[]))
          or (other.id < chosen.id and other.state = any(${states}::text[])
            and other.queued_at >= ${from}::timestamptz and other.queued_at < ${to}::timestamptz)
        )
    )`
