import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { purgeRow } from '../../inventory/devices/set-deleted.ts'
import { announce } from '../../signals/events/announce.ts'

const devicesPerBatch = 50

/** Removes devices deleted before `deletedBefore` for good, in batches; returns how many. */
export async function purgeDevices(db: Db, deletedBefore: string, context: ChangeOrigin): Promise<number> {
  let purged = 0
  for (;;) {
    const count = await transact(db, async (tx) => {
      const { rows } = await sql<{ organization_id: string; id: string; name: string }>`
        select organization_id, id, name from devices
        where deleted_at < ${deletedBefore}::timestamptz order by deleted_at limit ${devicesPerBatch}
        for update skip locked
      `.execute(tx)
      await announce(
        tx,
        rows.map((device) => ({
          type: 'devices.destroyed',
          organizationId: device.organization_id,
          deviceId: device.id,
          deviceName: device.name,
          cause: context.cause,
          at: context.now,
        })),
      )
      for (const device of rows) await purgeRow(tx, device)
      return rows.length
    })
    purged += count
    if (count < devicesPerBatch) return purged
  }
}
