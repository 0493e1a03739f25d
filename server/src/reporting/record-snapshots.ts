import { sql } from 'kysely'
import { newCause } from '../base/change-context.ts'
import { inOrganization } from '../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../base/db/transact.ts'
import { minuteMs } from '../base/time.ts'
import { findFactChanges, followReportedFacts } from '../inventory/devices/follow-reported-facts.ts'
import { lockDevice } from '../inventory/devices/lock-device.ts'
import { clearProblems } from './problems/record-problems.ts'
import type { Snapshot } from './read-snapshot.ts'
import { reportedFacts } from './reported-facts.ts'
import { listSnapshots, type StoredSnapshot } from './snapshot-queries.ts'
import type { SnapshotTimes } from './snapshot-times.ts'

type Place = { organizationId: string; deviceId: string }
export type SnapshotOutcome = 'changed' | 'unchanged' | 'outdated'

/**
 * Takes in what a device reported, each table at most once, all of it or nothing. A snapshot that says what is stored
 * writes nothing here: its moment is noted in `times`. Of a changed one, rows that are gone are deleted and new ones
 * inserted, and the others stay as they are. What they say about the device itself is updated in the same transaction, and a
 * table that came has no problem any more.
 * Returns what became of each.
 */
export async function recordSnapshots(
  db: Db,
  times: SnapshotTimes,
  place: Place,
  snapshots: readonly Snapshot[],
  now: string,
): Promise<SnapshotOutcome[]> {
  const { outcomes, troubled } = await judge(db, times, place, snapshots)
  const current = snapshots.filter((_, index) => outcomes[index] !== 'outdated')
  const hasNews =
    outcomes.includes('changed') ||
    troubled.length > 0 ||
    (await findFactChanges(db, place, reportedFacts(current))).length > 0
  if (hasNews) await transact(db, (tx) => storeChanges(tx, times, place, current, now))
  for (const [index, { table, takenAt, isScheduled }] of snapshots.entries()) {
    if (outcomes[index] === 'unchanged' && isScheduled) times.note(place, table.name, takenAt)
  }
  return outcomes
}

/** What becomes of each, and the tables that came and may have a problem stored. */
type Judgement = { outcomes: SnapshotOutcome[]; troubled: string[] }

async function judge(
  reader: Tx | Db,
  times: SnapshotTimes,
  { organizationId, deviceId }: Place,
  snapshots: readonly Snapshot[],
): Promise<Judgement> {
  const names = snapshots.map(({ table }) => table.name)
  const rows = await listSnapshots(reader, organizationId, deviceId, names)
  const stored = new Map(rows.map((row) => [row.reporting_table, row]))
  const noted = times.unwritten({ organizationId, deviceId })
  const outcomes = snapshots.map((snapshot) => outcomeOf(snapshot, stored.get(snapshot.table.name), noted))
  // Of a table that comes for the first time it is not known, and that one is written anyway.
  const troubled = names.filter(
    (name, index) => outcomes[index] !== 'outdated' && (stored.get(name)?.has_problem ?? true),
  )
  return { outcomes, troubled }
}

/** Requests of one agent that overtake each other are no further apart. */
const maxOvertakingMs = minuteMs

/** Whether something else has arrived after this, and not only by a clock of ours that was ahead of another or of itself. */
const isOvertaken = (at: string, other: string | undefined): boolean =>
  other !== undefined && at < other && Date.parse(other) - Date.parse(at) < maxOvertakingMs

/**
 * Moments are those of arrival, and what comes last counts. What a device is asked for first comes another way, and gives way to
 * anything scheduled.
 */
function outcomeOf(
  { table, digest, takenAt, isScheduled }: Snapshot,
  stored: StoredSnapshot | undefined,
  noted: ReadonlyMap<string, string>,
): SnapshotOutcome {
  if (!stored) return 'changed'
  if (stored.is_scheduled) {
    const isLate = [stored.taken_at, noted.get(table.name)].some((other) => isOvertaken(takenAt, other))
    if (!isScheduled || isLate) return 'outdated'
  }
  return stored.digest.equals(digest) ? 'unchanged' : 'changed'
}

/** Judged again under the lock of the device: another process may have stored something since. */
async function storeChanges(
  tx: Tx,
  times: SnapshotTimes,
  place: Place,
  snapshots: readonly Snapshot[],
  now: string,
): Promise<void> {
  if (!(await lockDevice(tx, place.organizationId, place.deviceId))) return
  const { outcomes, troubled } = await judge(tx, times, place, snapshots)
  const current = snapshots.filter((_, index) => outcomes[index] !== 'outdated')
  await clearProblems(tx, place, troubled)
  await followReportedFacts(tx, place, reportedFacts(current), { ...newCause(), now })
  for (const [index, snapshot] of snapshots.entries()) {
    if (outcomes[index] === 'changed') await storeSnapshot(tx, place, snapshot)
  }
}

/** Rows are matched by grouping: without statistics a join is planned as a loop within a loop, minutes for 5,000 rows. */
async function storeSnapshot(tx: Tx, { organizationId, deviceId }: Place, snapshot: Snapshot): Promise<void> {
  const { table, digest, isTruncated, isScheduled, takenAt, rows } = snapshot
  await sql`
    with snapshot as (
      insert into device_snapshots
        (organization_id, device_id, reporting_table, digest, is_truncated, is_scheduled, taken_at)
      values (${organizationId}, ${deviceId}, ${table.name}, ${digest}, ${isTruncated}, ${isScheduled}, ${takenAt})
      on conflict (organization_id, device_id, reporting_table) do update set digest = excluded.digest,
        is_truncated = excluded.is_truncated, is_scheduled = excluded.is_scheduled, taken_at = excluded.taken_at
    ), merged as materialized (
      select content, max(id) as id, min(place) as place
      from (
        select content, null::bigint, place
        from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) with ordinality as report (content, place)
        union all
        select content, id, null from device_snapshot_rows
        where ${inOrganization('device_snapshot_rows', organizationId)}
          and device_id = ${deviceId} and reporting_table = ${table.name}
      ) as one (content, id, place)
      group by content
    ), gone as (
      delete from device_snapshot_rows
      where ${inOrganization('device_snapshot_rows', organizationId)} and device_id = ${deviceId}
        and reporting_table = ${table.name} and id = any(array(select id from merged where place is null))
    )
    insert into device_snapshot_rows (organization_id, reporting_table, device_id, content)
    select ${organizationId}, ${table.name}, ${deviceId}, content from merged where id is null order by place
  `.execute(tx)
}
