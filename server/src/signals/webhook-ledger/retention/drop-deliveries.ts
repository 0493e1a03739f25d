import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Db, transact } from '../../../base/db/transact.ts'
import { oldBefore } from '../../../base/retention.ts'

type EndpointKey = { organizationId: string; endpointId: string }

const endpointsAtOnce = 100
const deliveriesAtOnce = 2_000

/**
 * Removes deliveries that were settled too long ago to be kept, in batches, with their attempts and with messages that
 * nothing refers to anymore; returns how many deliveries.
 */
export async function dropOldDeliveries(db: Db, now: string): Promise<number> {
  let dropped = 0
  for (;;) {
    let inRound = 0
    for (const endpoint of await listConcerned(db, now)) {
      const before = oldBefore('settled_deliveries', sql`${endpoint.organizationId}::bigint`, now)
      const isOld = sql<SqlBool>`queued_at < ${before} and settled_at < ${before}`
      inRound += await dropBatch(db, endpoint, isOld, sql`skip locked`)
    }
    if (inRound === 0) return dropped
    dropped += inRound
  }
}

/** All deliveries of an endpoint, whatever their state. */
export async function dropDeliveriesOf(db: Db, endpoint: EndpointKey): Promise<void> {
  for (;;) if ((await dropBatch(db, endpoint, sql`true`)) === 0) return
}

/** Judged by the oldest delivery that is settled, which an index finds: a search for any reads the logs of all endpoints. */
async function listConcerned(db: Db, now: string): Promise<EndpointKey[]> {
  const { rows } = await sql<EndpointKey>`
    select endpoint.organization_id as "organizationId", endpoint.id as "endpointId"
    from webhook_endpoints as endpoint
    cross join lateral (select ${oldBefore('settled_deliveries', sql`endpoint.organization_id`, now)} as moment) as before
    cross join lateral (
      select from webhook_deliveries as delivery
      where delivery.organization_id = endpoint.organization_id and delivery.endpoint_id = endpoint.id
        and delivery.queued_at < before.moment and delivery.settled_at < before.moment
      order by delivery.queued_at limit 1
    ) as oldest
    limit ${endpointsAtOnce}
  `.execute(db)
  return rows
}

const dropBatch = (
  db: Db,
  { organizationId, endpointId }: EndpointKey,
  isDropped: RawBuilder<SqlBool>,
  ofLocked = sql``,
): Promise<number> =>
  transact(db, async (tx) => {
    const { rows } = await sql<{ message_id: string }>`
      delete from webhook_deliveries
      where organization_id = ${organizationId}::bigint and endpoint_id = ${endpointId}::bigint and id = any(array(
        select id from webhook_deliveries
        where organization_id = ${organizationId}::bigint and endpoint_id = ${endpointId}::bigint
          and ${isDropped}
        order by queued_at, id limit ${deliveriesAtOnce}
        for update ${ofLocked}
      ))
      returning message_id
    `.execute(tx)
    const messageIds = rows.map(({ message_id }) => message_id)
    // Locked in a statement before, so that of two that drop its last deliveries the second sees that it is the last.
    await sql`
      select from webhook_messages
      where organization_id = ${organizationId}::bigint and id = any(${messageIds}::bigint[])
      order by id for update
    `.execute(tx)
    await sql`
      delete from webhook_messages as message
      where message.organization_id = ${organizationId}::bigint and message.id = any(${messageIds}::bigint[])
        and not exists (
          select from webhook_deliveries as delivery
          where delivery.organization_id = message.organization_id and delivery.message_id = message.id
        )
    `.execute(tx)
    return rows.length
  })
