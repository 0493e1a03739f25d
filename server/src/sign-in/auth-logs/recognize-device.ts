import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { storable } from '../../base/storable.ts'
import type { LoggedDevice } from './begin-auth-log.ts'
import { insertEvent } from './record-auth-log-event.ts'
import { boundedOrNull, initialStatusOf, longest } from './rules.ts'
import { type Step, touched } from './touch-auth-log.ts'

type Recognized = Step & {
  device: LoggedDevice
  /** Of the event that says so. */
  description: string
}

/**
 * Notes which device a log that began without one is about, with the event that says so, by one statement. False when the
 * log is over or full, or has a device already: the first one stands.
 */
export async function recognizeDevice(tx: Tx, { device, description, ...step }: Recognized): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .with('open', () => touched(tx, step, { isEvent: true }))
    .with('event', (build) => insertEvent(build, step, { type: 'agent_detection_success', description }))
    .updateTable('auth_logs')
    .from('open')
    .set({
      device_id: device.id,
      device_name: storable(device.name, longest.name),
      agent_version: boundedOrNull(device.agent_version, longest.word),
      initial_status: initialStatusOf(device.auth_state),
    })
    .where(inOrganization('auth_logs', step.organizationId))
    .where('id', '=', step.authLogId)
    .where('device_id', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
