import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { standingAt } from '../../inventory/devices/standing.ts'

const stillTrue = sql.lit('9999-12-31')

/**
 * Notes how all devices stand, each of them and how many, and how checks pass, for the day (UTC) of `now`. Each time the
 * day's figures are replaced, so that its last ones stay; what has not changed is not written. One statement counts what
 * it notes, so that the devices of a day are as many as its figures say.
 */
export async function recordDays(db: Db, now: string): Promise<void> {
  const day = sql`${now.slice(0, 10)}::date`
  await sql`
    with standing as materialized (
      select devices.organization_id, devices.id as device_id, ${standingAt(now)} as name
      from devices left join device_presence as presence
        on presence.organization_id = devices.organization_id and presence.device_id = devices.id
      where devices.deleted_at is null
    ), begun as (
      insert into device_standings as noted (organization_id, device_id, from_day, standing)
      select organization_id, device_id, ${day}, name from standing
      where not exists (select from device_standings as open where open.until_day = ${stillTrue}
        and open.organization_id = standing.organization_id and open.device_id = standing.device_id
        and open.standing = standing.name)
      on conflict on constraint device_standings_pkey
        do update set standing = excluded.standing, until_day = excluded.until_day
    ), over as (
      update device_standings as open set until_day = ${day}
      where open.until_day = ${stillTrue} and open.from_day < ${day}
        and not exists (select from standing where standing.organization_id = open.organization_id
          and standing.device_id = open.device_id and standing.name = open.standing)
    ), gone as (
      delete from device_standings as open
      where open.until_day = ${stillTrue} and open.from_day >= ${day}
        and not exists (select from standing where standing.organization_id = open.organization_id
          and standing.device_id = open.device_id)
    )
    insert into compliance_days as kept
      (organization_id, day, blocked, will_block, notified, good, stale, never)
    select organization_id, ${day},
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
    insert into check_days as kept (organization_id, check_id, day, counted, passing, failing)
    select organization_id, check_id, ${day}, sum(counted), sum(passing), sum(failing)
    from check_tallies group by organization_id, check_id having sum(counted) > 0
    on conflict on constraint check_days_pkey
      do update set counted = excluded.counted, passing = excluded.passing, failing = excluded.failing
    where (kept.counted, kept.passing, kept.failing) is distinct from (excluded.counted, excluded.passing, excluded.failing)
  `.execute(db)
}
