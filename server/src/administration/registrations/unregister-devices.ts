import type { ChangeContext } from '../../base/change-context.ts'
import type { Db } from '../../base/db/transact.ts'
import { eachDevice } from './each-device.ts'
import { unregisterDevice } from './unregister-device.ts'

/** Ends the registration of each device separately. */
export async function unregisterDevices(
  db: Db,
  asked: { readonly deviceIds: readonly string[] },
  context: ChangeContext,
) {
  const devices = [...new Set(asked.deviceIds)].map((deviceId) => ({ deviceId }))
  const { organizationId } = context
  const refused = await eachDevice(db, organizationId, devices, (tx, device) => unregisterDevice(tx, device, context))
  return { unregistered_count: devices.length - refused.length, refused }
}
