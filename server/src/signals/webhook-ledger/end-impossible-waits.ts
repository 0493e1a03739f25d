import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

/** Longer than the longest wait of the schedule, whose last is a day, give or take a fifth. */
const maxWaitHours = 36
const deliveriesAtOnce = 2_000

/**
 * Makes due at `now`, in batches, what would wait for longer than any delivery does: it was put off while the clock was
 * ahead. Returns how many deliveries.
 */
export async function endImpossibleWaits(db: Db, now: string): Promise<number> {
  const latest = sql`${now}::timestamptz + ${maxWaitHours} * interval '1 hour'`
  let movedUp = 0
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      update webhook_deliveries as delivery set next_attempt_at = ${now}::timestamptz
      from (
        select waiting.organization_id, waiting.endpoint_id, waiting.id
        from webhook_endpoints as endpoint
        cross join lateral (
          select organization_id, endpoint_id, id from webhook_deliveries
          where organization_id = endpoint.organization_id and endpoint_id = endpoint.id
            and state = 'pending' and next_attempt_at > ${latest}
          order by next_attempt_at, id
          limit ${deliveriesAtOnce}
          for no key update skip locked
        ) as waiting
        limit ${deliveriesAtOnce}
      ) as found
      where delivery.organization_id = found.organization_id and delivery.endpoint_id = found.endpoint_id
        and delivery.id = found.id
    `.execute(db)
    if (numAffectedRows === 0n) return movedUp
    movedUp += Number(numAffectedRows)
  }
}
