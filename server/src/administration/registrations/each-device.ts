import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { findDevice } from '../../inventory/devices/queries.ts'

type Refused = { readonly device_id: string; readonly device_name: string | null; readonly reason: string }

/**
 * Does something with each device in a transaction of its own, and returns what was refused: that does not hold up the
 * others. What is no refusal, such as a lost database, ends the rest; what was done before it stays done.
 */
export async function eachDevice<Asked extends { readonly deviceId: string }>(
  db: Db,
  organizationId: string,
  devices: readonly Asked[],
  act: (tx: Tx, asked: Asked) => Promise<unknown>,
): Promise<Refused[]> {
  const refused: Refused[] = []
  for (const asked of devices) {
    try {
      await transact(db, (tx) => act(tx, asked))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const device = await findDevice(db, organizationId, asked.deviceId)
      refused.push({ device_id: asked.deviceId, device_name: device?.name ?? null, reason: error.message })
    }
  }
  return refused
}
