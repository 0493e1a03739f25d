import { sql } from 'kysely'
import { type Db, transact } from '../../base/db/transact.ts'
import { noteRechecks } from '../issues/note-rechecks.ts'

/** Runs that changed nothing are remembered here and written in batches, one row a device. */
export type RunTimes = {
  note: (organizationId: string, deviceId: string, runs: readonly { checkId: string; ranAt: string }[]) => void
  /** By check, the runs of a device that are not written yet. */
  unwritten: (organizationId: string, deviceId: string) => ReadonlyMap<string, string>
  /**
   * Writes what was noted and ends the refreshes it satisfies, one flush at a time. What could not be written is
   * kept for the next one; what a crash loses is asked for again.
   */
  flush: (db: Db) => Promise<void>
}

type Noted = { organizationId: string; deviceId: string; ranAt: Map<string, string> }

const devicesPerBatch = 500
const none: ReadonlyMap<string, string> = new Map()

export function rememberRunTimes(): RunTimes {
  let noted = new Map<string, Noted>()
  let writing = new Map<string, Noted>()
  let flushing: Promise<void> | undefined
  const keyOf = (organizationId: string, deviceId: string) => `${organizationId}/${deviceId}`

  function note(organizationId: string, deviceId: string, runs: Iterable<{ checkId: string; ranAt: string }>): void {
    const key = keyOf(organizationId, deviceId)
    const device = noted.get(key) ?? { organizationId, deviceId, ranAt: new Map<string, string>() }
    noted.set(key, device)
    for (const { checkId, ranAt } of runs)
      if (ranAt > (device.ranAt.get(checkId) ?? '')) device.ranAt.set(checkId, ranAt)
  }

  async function write(db: Db): Promise<void> {
    writing = noted
    noted = new Map()
    const devices = [...writing.values()].sort(inLockOrder)
    let written = 0
    try {
      for (; written < devices.length; written += devicesPerBatch) {
        await writeBatch(db, devices.slice(written, written + devicesPerBatch))
      }
    } finally {
      for (const { organizationId, deviceId, ranAt } of devices.slice(written)) {
        note(
          organizationId,
          deviceId,
          [...ranAt].map(([checkId, at]) => ({ checkId, ranAt: at })),
        )
      }
      writing = new Map()
    }
  }

  return {
    note,
    unwritten(organizationId, deviceId) {
      const key = keyOf(organizationId, deviceId)
      const [older, newer] = [writing.get(key)?.ranAt, noted.get(key)?.ranAt]
      return older && newer ? new Map([...older, ...newer]) : (newer ?? older ?? none)
    },
    flush(db) {
      const turn = (flushing ?? Promise.resolve()).catch(() => {}).then(() => write(db))
      flushing = turn
      return turn
    },
  }
}

/** One order in every process, so that two flushes cannot deadlock. */
const inLockOrder = (one: Noted, other: Noted): number =>
  Number(one.organizationId) - Number(other.organizationId) || Number(one.deviceId) - Number(other.deviceId)

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
        order by devices.organization_id, devices.id for key share
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
      delete from check_refreshes using ${columns}
      where check_refreshes.organization_id = run.organization_id and check_refreshes.device_id = run.device_id
        and check_refreshes.check_id = run.check_id and check_refreshes.requested_at <= run.ran_at
    `.execute(tx)
    await noteRechecks(tx, runs)
  })
}
