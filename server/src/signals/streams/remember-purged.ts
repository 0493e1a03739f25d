import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/**
 * Keeps which of the devices that are about to be gone for good receivers continue keeping out: no event says that a
 * device no longer exists, and what is said about the whole of a stream must hold for it too.
 */
export async function rememberPurged(
  tx: Tx,
  organizationId: string,
  purged: readonly { deviceId: string; at: string }[],
): Promise<void> {
  if (purged.length === 0) return
  await sql`
    insert into ssf_purged_devices (organization_id, device_id, purged_at)
    select devices.organization_id, devices.id, given.at
    from unnest(${purged.map(({ deviceId }) => deviceId)}::bigint[], ${purged.map(({ at }) => at)}::timestamptz[])
      as given (device_id, at)
    join devices on ${inOrganization('devices', organizationId)} and devices.id = given.device_id
    where devices.signalled_status = 'not-compliant' and exists (
      select from ssf_streams where ${inOrganization('ssf_streams', organizationId)} and ssf_streams.deleted_at is null
    )
    on conflict on constraint ssf_purged_devices_pkey do nothing
  `.execute(tx)
}
