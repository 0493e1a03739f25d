import type { ChangeContext } from '../../base/change-context.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import { unregisterDevice } from './unregister-device.ts'

type Asked = { readonly deviceIds: readonly string[] }

type Refused = { readonly device_id: string; readonly device_name: string | null; readonly reason: string }

/**
 * Ends the registration of each device separately: one that is refused does not hold up the others.
 * What is no refusal, such as a lost database, ends the rest; what was done before it stays done.
 */
export async function unregisterDevices(
  db: Db,
  { deviceIds }: Asked,
  context: ChangeContext,
): Promise<{ unregistered_count: number; refused: Refused[] }> {
  const refused: Refused[] = []
  const asked = [...new Set(deviceIds)]
  for (const deviceId of asked) {
    try {
      await transact(db, (tx) => unregisterDevice(tx, { deviceId }, context))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const device = await findDevice(db, context.organizationId, deviceId)
      refused.push({ device_id: deviceId, device_name: device?.name ?? null, reason: error.message })
    }
  }
  return { unregistered_count: asked.length - refused.length, refused }
}
