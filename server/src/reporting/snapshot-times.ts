import { sql } from 'kysely'
import { type Db, transact } from '../base/db/transact.ts'

type Place = { organizationId: string; deviceId: string }

/** When unchanged tables were last reported is remembered here and written in batches. */
export type SnapshotTimes = {
  note: (place: Place, tableName: string, takenAt: string) => void
  /** By table, the moments of a device that are not written yet. */
  unwritten: (place: Place) => ReadonlyMap<string, string>
  /** Writes what was noted, one flush at a time. What could not be written is kept for the next one. */
  flush: (db: Db) => Promise<void>
}

type Noted = Place & { takenAt: Map<string, string> }

const devicesPerBatch = 500
const none: ReadonlyMap<string, string> = new Map()

export function rememberSnapshotTimes(): SnapshotTimes {
  let noted = new Map<string, Noted>()
  let writing = new Map<string, Noted>()
  let flushing: Promise<void> | undefined
  const keyOf = ({ organizationId, deviceId }: Place) => `${organizationId}/${deviceId}`

  function note({ organizationId, deviceId }: Place, tableName: string, takenAt: string): void {
    const key = keyOf({ organizationId, deviceId })
    const device = noted.get(key) ?? { organizationId, deviceId, takenAt: new Map<string, string>() }
    noted.set(key, device)
    if (takenAt > (device.takenAt.get(tableName) ?? '')) device.takenAt.set(tableName, takenAt)
  }

  async function write(db: Db): Promise<void> {
    writing = noted
    noted = new Map()
    const devices = [...writing.values()]
    let written = 0
    try {
      for (; written < devices.length; written += devicesPerBatch) {
        await writeBatch(db, devices.slice(written, written + devicesPerBatch))
      }
    } finally {
      for (const device of devices.slice(written)) {
        for (const [tableName, takenAt] of device.takenAt) note(device, tableName, takenAt)
      }
      writing = new Map()
    }
  }

  return {
    note,
    unwritten(place) {
      const key = keyOf(place)
      const [older, newer] = [writing.get(key)?.takenAt, noted.get(key)?.takenAt]
      return older && newer ? new Map([...older, ...newer]) : (newer ?? older ?? none)
    },
    flush(db) {
      const turn = (flushing ?? Promise.resolve()).catch(() => {}).then(() => write(db))
      flushing = turn
      return turn
    },
  }
}

/** Rows are locked in one order in every process, so that two flushes cannot deadlock. */
async function writeBatch(db: Db, devices: readonly Noted[]): Promise<void> {
  const moments = devices.flatMap(({ organizationId, deviceId, takenAt }) =>
    [...takenAt].map(([tableName, at]) => ({ organizationId, deviceId, tableName, at })),
  )
  await transact(db, async (tx) => {
    await sql`
      with moment as materialized (
        select stored.organization_id, stored.device_id, stored.reporting_table, given.taken_at
        from unnest(
          ${moments.map(({ organizationId }) => organizationId)}::bigint[],
          ${moments.map(({ deviceId }) => deviceId)}::bigint[],
          ${moments.map(({ tableName }) => tableName)}::text[],
          ${moments.map(({ at }) => at)}::timestamptz[]
        ) as given (organization_id, device_id, reporting_table, taken_at)
        join device_snapshots as stored on stored.organization_id = given.organization_id
          and stored.device_id = given.device_id and stored.reporting_table = given.reporting_table
        where given.taken_at > stored.taken_at or not stored.is_scheduled
        order by stored.organization_id, stored.device_id, stored.reporting_table
        for no key update of stored
      )
      update device_snapshots set taken_at = moment.taken_at, is_scheduled = true from moment
      where device_snapshots.organization_id = moment.organization_id
        and device_snapshots.device_id = moment.device_id
        and device_snapshots.reporting_table = moment.reporting_table
        and (moment.taken_at > device_snapshots.taken_at or not device_snapshots.is_scheduled)
    `.execute(tx)
  })
}
