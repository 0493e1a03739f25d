import { sql } from 'kysely'
import type { Db } from '../../../base/db/transact.ts'

type EndpointKey = { organizationId: string; endpointId: string }

const endpointsAtOnce = 100
const deliveriesAtOnce = 2_000

/** Gives up deliveries that have waited since before a moment, in batches; returns how many. */
export async function failStaleDeliveries(db: Db, queuedBefore: string, reason: string, now: string): Promise<number> {
  let failed = 0
  for (;;) {
    let inRound = 0
    for (const endpoint of await listConcerned(db, queuedBefore)) {
      inRound += await failBatch(db, endpoint, queuedBefore, reason, now)
    }
    // Nothing: what is left is locked by others, and the next run has it.
    if (inRound === 0) return failed
    failed += inRound
  }
}

/** Judged by the first that waits: they are queued in the order of their ids. */
async function listConcerned(db: Db, queuedBefore: string): Promise<EndpointKey[]> {
  const { rows } = await sql<EndpointKey>`
    select endpoint.organization_id as "organizationId", endpoint.id as "endpointId"
    from webhook_endpoints as endpoint
    cross join lateral (
      select delivery.queued_at from webhook_deliveries as delivery
      where delivery.organization_id = endpoint.organization_id and delivery.endpoint_id = endpoint.id
        and delivery.state = 'pending'
      order by delivery.id limit 1
    ) as first
    where endpoint.deleted_at is null and first.queued_at < ${queuedBefore}::timestamptz
    limit ${endpointsAtOnce}
  `.execute(db)
  return rows
}

async function failBatch(
  db: Db,
  { organizationId, endpointId }: EndpointKey,
  queuedBefore: string,
  reason: string,
  now: string,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_deliveries
    set state = 'failed', settled_at = ${now}::timestamptz, next_attempt_at = null, last_error = ${reason}
    where organization_id = ${organizationId}::bigint and endpoint_id = ${endpointId}::bigint and id = any(array(
      select id from webhook_deliveries
      where organization_id = ${organizationId}::bigint and endpoint_id = ${endpointId}::bigint and state = 'pending'
        and id = any(array(
          select id from (
            select id, queued_at from webhook_deliveries
            where organization_id = ${organizationId}::bigint and endpoint_id = ${endpointId}::bigint
              and state = 'pending'
            order by id limit ${deliveriesAtOnce}
          ) as first where queued_at < ${queuedBefore}::timestamptz
        ))
      for no key update skip locked
    ))
  `.execute(db)
  return Number(numAffectedRows)
}
