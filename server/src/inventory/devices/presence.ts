import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

/** Devices speak about once a minute; when they did is remembered here and written in batches. */
export type Presence = {
  note: (organizationId: string, deviceId: string, seenAt: string) => void
  /** When the device spoke, where that is not written yet. */
  unwritten: (organizationId: string, deviceId: string) => string | undefined
  /** Writes what was noted, one flush at a time. What could not be written is kept for the next one. */
  flush: (db: Db) => Promise<void>
}

type Seen = { organizationId: string; deviceId: string; seenAt: string }

const devicesPerBatch = 2_000

export function rememberPresence(): Presence {
  let noted = new Map<string, Map<string, string>>()
  let writing = new Map<string, Map<string, string>>()
  let flushing: Promise<void> | undefined

  function note(organizationId: string, deviceId: string, seenAt: string): void {
    const devices = noted.get(organizationId) ?? new Map<string, string>()
    if (devices.size === 0) noted.set(organizationId, devices)
    devices.set(deviceId, seenAt)
  }

  function keep({ organizationId, deviceId, seenAt }: Seen): void {
    if (seenAt > (noted.get(organizationId)?.get(deviceId) ?? '')) note(organizationId, deviceId, seenAt)
  }

  async function write(db: Db): Promise<void> {
    writing = noted
    noted = new Map()
    const seen = inLockOrder(writing)
    let written = 0
    try {
      for (; written < seen.length; written += devicesPerBatch) {
        await writeBatch(db, seen.slice(written, written + devicesPerBatch))
      }
    } finally {
      for (const device of seen.slice(written)) keep(device)
      writing = new Map()
    }
  }

  return {
    note,
    unwritten: (organizationId, deviceId) =>
      noted.get(organizationId)?.get(deviceId) ?? writing.get(organizationId)?.get(deviceId),
    flush(db) {
      const turn = (flushing ?? Promise.resolve()).catch(() => {}).then(() => write(db))
      flushing = turn
      return turn
    },
  }
}

/** Devices in one order in every process, so that two flushes cannot deadlock. */
function inLockOrder(noted: Map<string, Map<string, string>>): Seen[] {
  return [...noted]
    .sort(([one], [other]) => Number(one) - Number(other))
    .flatMap(([organizationId, devices]) =>
      [...devices]
        .sort(([one], [other]) => Number(one) - Number(other))
        .map(([deviceId, seenAt]) => ({ organizationId, deviceId, seenAt })),
    )
}

async function writeBatch(db: Db, devices: readonly Seen[]) {
  await sql`
    insert into device_presence as presence (organization_id, device_id, last_seen_at)
    select seen.organization_id, seen.device_id, seen.at
    from unnest(
      ${devices.map(({ organizationId }) => organizationId)}::bigint[],
      ${devices.map(({ deviceId }) => deviceId)}::bigint[], ${devices.map(({ seenAt }) => seenAt)}::timestamptz[]
    ) as seen (organization_id, device_id, at)
    join devices on devices.organization_id = seen.organization_id and devices.id = seen.device_id
    order by seen.organization_id, seen.device_id
    on conflict (organization_id, device_id)
    do update set last_seen_at = excluded.last_seen_at where presence.last_seen_at < excluded.last_seen_at
  `.execute(db)
}
