import { sql } from 'kysely'
import { noteRefusedNodes } from '../../administration/registrations/admit-reenrollment.ts'
import { systemChange } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'

const devicesPerBatch = 100

type Overdue = { organization_id: string; device_id: string }

/**
 * Refuses the nodes, in all organizations, that were not confirmed in time, and marks their devices: another machine may
 * enroll as they. Each device in a transaction of its own.
 */
export async function refuseUnconfirmedNodes(db: Db, now: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<Overdue>`
      select distinct organization_id, device_id from (
        select organization_id, device_id from node_key_lookups
        where unconfirmed_until <= ${now}::timestamptz order by unconfirmed_until limit ${devicesPerBatch}
      ) as overdue`.execute(db)
    for (const row of rows) await transact(db, (tx) => refuseNodes(tx, row, now))
    if (rows.length === 0) return
  }
}

async function refuseNodes(tx: Tx, overdue: Overdue, now: string): Promise<void> {
  const { organization_id: organizationId, device_id: deviceId } = overdue
  const device = await lockDevice(tx, organizationId, deviceId)
  const { numDeletedRows } = await tx
    .deleteFrom('node_key_lookups')
    .where(inOrganization('node_key_lookups', organizationId))
    .where('device_id', '=', deviceId)
    .where('unconfirmed_until', '<=', now)
    .executeTakeFirst()
  if (!device || numDeletedRows === 0n) return
  await noteRefusedNodes(tx, device, Number(numDeletedRows), systemChange(organizationId, now))
}
