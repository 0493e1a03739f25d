import { ulid } from 'ulid'
import { type Db, transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import type { Actor } from '../../signals/audit/record-audit.ts'
import { unregisterDevice } from './unregister-device.ts'

type Asked = {
  readonly organizationId: string
  readonly deviceIds: readonly string[]
  readonly actor: Actor
  readonly now: string
}

type Refused = { readonly device_id: string; readonly device_name: string | null; readonly reason: string }

/**
 * Ends the registration of each device by itself, as it would alone: one that is refused holds none of the others up.
 * What is no refusal, such as a lost database, ends the rest; what was done before it stays done.
 */
export async function unregisterDevices(
  db: Db,
  { organizationId, deviceIds, actor, now }: Asked,
): Promise<{ unregistered_count: number; refused: Refused[] }> {
  const refused: Refused[] = []
  const asked = [...new Set(deviceIds)]
  for (const deviceId of asked) {
    const context = { cause: ulid(), initiator: 'admin', now } as const
    try {
      await transact(db, (tx) => unregisterDevice(tx, { organizationId, deviceId, actor }, context))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const device = await findDevice(db, organizationId, deviceId)
      refused.push({ device_id: deviceId, device_name: device?.name ?? null, reason: error.message })
    }
  }
  return { unregistered_count: asked.length - refused.length, refused }
}
