import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/** Notes that someone signed in with a device, which may be gone by now. */
export async function markDeviceAuthenticated(tx: Tx, organizationId: string, deviceId: string, now: string) {
  await tx
    .updateTable('devices')
    .set({ last_authenticated_at: now })
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .where((device) =>
      device.or([device('last_authenticated_at', 'is', null), device('last_authenticated_at', '<', now)]),
    )
    .execute()
}
