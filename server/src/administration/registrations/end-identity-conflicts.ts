import { sql } from 'kysely'
import { type ChangeContext, systemChange } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { setIdentityConflict } from '../../inventory/devices/set-identity-conflict.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { noteResolved } from './admit-reenrollment.ts'

type Resolution = { deviceId: string }

/**
 * Ends the identity conflict of a device, for an administrator who has seen to the second machine: the next enrollment
 * as the device is taken at once. Does nothing where there is no conflict.
 */
export async function resolveIdentityConflict(tx: Tx, { deviceId }: Resolution, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  if (device.identity_conflict_since === null) return
  await setIdentityConflict(tx, device, null)
  await noteResolved(tx, device, context.now)
  await recordAudit(
    tx,
    {
      action: 'device.identity_conflict_resolved',
      about: { device: deviceId },
      description: `Resolved the identity conflict of the device "${device.name}".`,
    },
    context,
  )
}

const quietMs = dayMs
const devicesPerBatch = 100

/**
 * Ends the conflicts, in all organizations, in which no second agent has tried to enroll for a day, and forgets the
 * counts of devices without one. Each device in a transaction of its own.
 */
export async function endQuietConflicts(db: Db, now: string): Promise<void> {
  const before = plusMs(now, -quietMs)
  for (;;) {
    const { rows } = await sql<{ organization_id: string; device_id: string }>`
      select organization_id, device_id from device_reenrollments where last_at <= ${before}::timestamptz
      order by last_at limit ${devicesPerBatch}`.execute(db)
    for (const row of rows) await transact(db, (tx) => endQuiet(tx, row.organization_id, row.device_id, before, now))
    if (rows.length < devicesPerBatch) return
  }
}

async function endQuiet(tx: Tx, organizationId: string, deviceId: string, before: string, now: string): Promise<void> {
  const device = await lockDevice(tx, organizationId, deviceId)
  if (!device) return forget(tx, { organization_id: organizationId, id: deviceId })
  const counts = await tx
    .selectFrom('device_reenrollments')
    .select('refused')
    .where(inOrganization('device_reenrollments', organizationId))
    .where('device_id', '=', deviceId)
    .where('last_at', '<=', before)
    .executeTakeFirst()
  if (!counts) return
  await end(tx, device)
  if (device.identity_conflict_since === null) return
  await recordAudit(
    tx,
    {
      action: 'device.identity_conflict_ended',
      about: { device: deviceId },
      description: `Ended the identity conflict of the device "${device.name}": no second agent has tried to enroll for a day${refusalsInWords(counts.refused)}.`,
    },
    systemChange(organizationId, now),
  )
}

/** What the audit log adds where enrollments were refused since its last entry. */
export const refusalsInWords = (count: number): string =>
  count === 0 ? '' : `; ${count} ${count === 1 ? 'enrollment was' : 'enrollments were'} refused before`

async function end(tx: Tx, device: LockedDevice): Promise<void> {
  if (device.identity_conflict_since !== null) await setIdentityConflict(tx, device, null)
  await forget(tx, device)
}

async function forget(tx: Tx, device: { organization_id: string; id: string }): Promise<void> {
  await tx
    .deleteFrom('device_reenrollments')
    .where(inOrganization('device_reenrollments', device.organization_id))
    .where('device_id', '=', device.id)
    .execute()
}
