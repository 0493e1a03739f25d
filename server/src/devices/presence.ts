import { sql } from 'kysely'
import type { Db } from '../db/transact.ts'

/** Devices speak about once a minute; when they did is remembered here and written in batches. */
export type Presence = {
  note: (organizationId: string, deviceId: string, seenAt: string) => void
  flush: (db: Db) => Promise<void>
}

const devicesPerBatch = 2_000

export function rememberPresence(): Presence {
  let noted = new Map<string, { organizationId: string; seenAt: string }>()
  return {
    note(organizationId, deviceId, seenAt) {
      const device = noted.get(deviceId)
      if (device) device.seenAt = seenAt
      else noted.set(deviceId, { organizationId, seenAt })
    },
    async flush(db) {
      const devices = [...noted].sort(([one], [other]) => Number(BigInt(one) - BigInt(other)))
      noted = new Map()
      for (let start = 0; start < devices.length; start += devicesPerBatch) {
        await writeBatch(db, devices.slice(start, start + devicesPerBatch))
      }
    },
  }
}

async function writeBatch(db: Db, devices: readonly [string, { organizationId: string; seenAt: string }][]) {
  await sql`
    insert into device_presence as presence (organization_id, device_id, last_seen_at)
    select seen.organization_id, seen.device_id, seen.at
    from unnest(
      ${devices.map(([, device]) => device.organizationId)}::bigint[], ${devices.map(([id]) => id)}::bigint[],
      ${devices.map(([, device]) => device.seenAt)}::timestamptz[]
    ) as seen (organization_id, device_id, at)
    join devices on devices.organization_id = seen.organization_id and devices.id = seen.device_id
    order by seen.device_id
    on conflict (organization_id, device_id)
    do update set last_seen_at = excluded.last_seen_at where presence.last_seen_at < excluded.last_seen_at
  `.execute(db)
}
