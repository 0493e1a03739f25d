import { sql } from 'kysely'
import { type ChangeOrigin, systemActor } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { holdConfigurations } from '../standing/hold-configurations.ts'
import { getResultOnDevice, type ResultOnDevice } from '../standing/result-on-device.ts'
import { enterScope } from './end-exemption.ts'

type Expired = { organization_id: string; device_id: string }

const devicesPerBatch = 100

/**
 * Ends the exemptions of checks, in all organizations, whose time is up. Each device in a transaction of its own;
 * returns how many exemptions. Several processes may run it at once.
 */
export async function endExpiredExemptions(db: Db, context: () => ChangeOrigin): Promise<number> {
  let ended = 0
  for (;;) {
    const devices = await listExpired(db, context().now)
    for (const device of devices) ended += await transact(db, (tx) => endOn(tx, device, context()))
    if (devices.length < devicesPerBatch) return ended
  }
}

/** Those of deleted devices wait until the device is restored. */
async function listExpired(db: Db, now: string): Promise<Expired[]> {
  const { rows } = await sql<Expired>`
    select distinct result.organization_id, result.device_id from check_results as result
    join devices on devices.organization_id = result.organization_id and devices.id = result.device_id
      and devices.deleted_at is null
    where result.exemption_expires_at <= ${now}::timestamptz
    order by result.organization_id, result.device_id limit ${devicesPerBatch}
  `.execute(db)
  return rows
}

async function endOn(tx: Tx, expired: Expired, context: ChangeOrigin): Promise<number> {
  const { organization_id: organizationId, device_id: deviceId } = expired
  await holdConfigurations(tx, organizationId)
  const [device] = await lockDevices(tx, organizationId, [deviceId])
  if (!device) return 0
  const checkIds = await listExpiredChecks(tx, expired, context.now)
  if (checkIds.length === 0) return 0
  const results: ResultOnDevice[] = []
  for (const checkId of checkIds) results.push(await getResultOnDevice(tx, { organizationId, deviceId, checkId }))
  await enterScope(tx, device, results, context)
  for (const { check_id: checkId, check_name: name } of results) {
    const description = `Ended the exemption of the device "${device.name}" from the check "${name}": its time was up.`
    await recordAudit(
      tx,
      { action: 'exemption.ended', about: { device: deviceId, check: checkId }, description },
      { ...context, organizationId, actor: systemActor },
    )
  }
  return results.length
}

/** Read under the lock: another process may have ended them. */
async function listExpiredChecks(tx: Tx, expired: Expired, now: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('check_results')
    .select('check_id')
    .where(inOrganization('check_results', expired.organization_id))
    .where('device_id', '=', expired.device_id)
    .where('exemption_expires_at', '<=', now)
    .orderBy('check_id')
    .execute()
  return rows.map((row) => row.check_id)
}
