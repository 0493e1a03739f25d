import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { storable } from '../../base/storable.ts'
import { findSignInDevice } from './queries.ts'
import { boundedOrNull, initialStatusOf, longest } from './rules.ts'
import { type Step, touchSession } from './touch-session.ts'

/**
 * Notes which device a session that began without one is on. False when the session is over, or has a device already:
 * the first one stands.
 */
export async function recognizeDevice(tx: Tx, { deviceId, ...step }: Step & { deviceId: string }): Promise<boolean> {
  const { organizationId, authLogId } = step
  const device = orNotFound(await findSignInDevice(tx, organizationId, deviceId))
  if (!(await touchSession(tx, step))) return false
  const { numUpdatedRows } = await tx
    .updateTable('auth_logs')
    .set({
      device_id: device.id,
      device_name: storable(device.name, longest.name),
      agent_version: boundedOrNull(device.agent_version, longest.word),
      initial_status: initialStatusOf(device.auth_state),
    })
    .where(inOrganization('auth_logs', organizationId))
    .where('id', '=', authLogId)
    .where('device_id', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
