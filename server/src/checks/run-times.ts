import { sql } from 'kysely'
import { type Db, transact } from '../db/transact.ts'

/** Runs that changed nothing are remembered here and written in batches, one row a device. */
export type RunTimes = {
  note: (organizationId: string, deviceId: string, runs: readonly { checkId: string; ranAt: string }[]) => void
  /** Writes what was noted; what a crash loses is asked for again. */
  flush: (db: Db) => Promise<void>
}

type Noted = { organizationId: string; deviceId: string; ranAt: Map<string, string> }

const devicesPerBatch = 500

export function rememberRunTimes(): RunTimes {
  let noted = new Map<string, Noted>()
  return {
    note(organizationId, deviceId, runs) {
      const device = noted.get(deviceId) ?? { organizationId, deviceId, ranAt: new Map<string, string>() }
      noted.set(deviceId, device)
      for (const { checkId, ranAt } of runs)
        if (ranAt > (device.ranAt.get(checkId) ?? '')) device.ranAt.set(checkId, ranAt)
    },
    async flush(db) {
      const devices = [...noted.values()].sort((one, other) => Number(BigInt(one.deviceId) - BigInt(other.deviceId)))
      noted = new Map()
      for (let start = 0; start < devices.length; start += devicesPerBatch) {
        await writeBatch(db, devices.slice(start, start + devicesPerBatch))
      }
    },
  }
}

async function writeBatch(db: Db, devices: readonly Noted[]): Promise<void> {
  const runs = devices.flatMap(({ organizationId, deviceId, ranAt }) =>
    [...ranAt].map(([checkId, at]) => ({ organizationId, deviceId, checkId, at })),
  )
  const columns = sql`unnest(
    ${runs.map((run) => run.organizationId)}::bigint[], ${runs.map((run) => run.deviceId)}::bigint[],
    ${runs.map((run) => run.checkId)}::bigint[], ${runs.map((run) => run.at)}::timestamptz[]
  ) as run (organization_id, device_id, check_id, ran_at)`
  await transact(db, async (tx) => {
    // A device deleted meanwhile has no row to hang on to; the lock keeps the rest until the commit.
    await sql`
      with living as (
        select devices.organization_id, devices.id from devices
        where (devices.organization_id, devices.id) in (select distinct run.organization_id, run.device_id from ${columns})
        order by devices.id for key share
      ), merged as (
        select run.organization_id, run.device_id, run.check_id, max(run.ran_at) as ran_at
        from (
          select * from ${columns}
          union all
          select stored.organization_id, stored.device_id, pair.check_id, pair.ran_at
          from device_check_runs as stored, unnest(stored.check_ids, stored.ran_at) as pair (check_id, ran_at)
          where (stored.organization_id, stored.device_id) in (select organization_id, id from living)
        ) as run
        group by run.organization_id, run.device_id, run.check_id
      )
      insert into device_check_runs (organization_id, device_id, check_ids, ran_at)
      select living.organization_id, living.id, array_agg(merged.check_id), array_agg(merged.ran_at)
      from living join merged on merged.organization_id = living.organization_id and merged.device_id = living.id
      group by living.organization_id, living.id
      on conflict (organization_id, device_id) do update set check_ids = excluded.check_ids, ran_at = excluded.ran_at
    `.execute(tx)
    await sql`
      update issues set last_rechecked_at = run.ran_at from ${columns}
      where issues.organization_id = run.organization_id and issues.device_id = run.device_id
        and issues.check_id = run.check_id and issues.resolved_at is null and issues.last_rechecked_at < run.ran_at
    `.execute(tx)
  })
}
