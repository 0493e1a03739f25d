import { sql } from 'kysely'
import type { Db } from '../db/transact.ts'
import { standingAt } from '../devices/standing.ts'

/**
 * Notes how all devices stand, and how checks pass, for the day (UTC) of `now`. Each time the day's figures are replaced,
 * so that its last ones stay; figures that have not changed are not written.
 */
export async function recordDays(db: Db, now: string): Promise<void> {
  const day = now.slice(0, 10)
  await sql`
    with standing as (
      select devices.organization_id, ${standingAt(now)} as name
      from devices left join device_presence as presence
        on presence.organization_id = devices.organization_id and presence.device_id = devices.id
      where devices.deleted_at is null
    )
    insert into compliance_days as kept
      (organization_id, day, blocked, will_block, notified, good, stale, never)
    select organization_id, ${day}::date,
      count(*) filter (where name = 'blocked'), count(*) filter (where name = 'will_block'),
      count(*) filter (where name = 'notified'), count(*) filter (where name = 'good'),
      count(*) filter (where name = 'stale'), count(*) filter (where name = 'never')
    from standing group by organization_id
    on conflict on constraint compliance_days_pkey do update set blocked = excluded.blocked,
      will_block = excluded.will_block, notified = excluded.notified, good = excluded.good, stale = excluded.stale,
      never = excluded.never
    where (kept.blocked, kept.will_block, kept.notified, kept.good, kept.stale, kept.never) is distinct from
      (excluded.blocked, excluded.will_block, excluded.notified, excluded.good, excluded.stale, excluded.never)
  `.execute(db)
  await sql`
    insert into check_days as kept (organization_id, check_id, day, counted, passing)
    select organization_id, check_id, ${day}::date, sum(counted), sum(passing)
    from check_tallies group by organization_id, check_id having sum(counted) > 0
    on conflict on constraint check_days_pkey do update set counted = excluded.counted, passing = excluded.passing
    where (kept.counted, kept.passing) is distinct from (excluded.counted, excluded.passing)
  `.execute(db)
}
