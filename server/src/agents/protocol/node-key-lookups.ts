import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/** Ends the node keys of a device, those of unconfirmed nodes included, but for the one that stays. */
export async function endNodeKeys(
  tx: Tx,
  organizationId: string,
  deviceId: string,
  staying: Buffer | null = null,
): Promise<void> {
  await tx
    .deleteFrom('node_key_lookups')
    .where(inOrganization('node_key_lookups', organizationId))
    .where('device_id', '=', deviceId)
    .where('lookup_hash', 'is distinct from', staying)
    .execute()
}

export async function addNodeKey(tx: Tx, organizationId: string, deviceId: string, hash: Buffer): Promise<void> {
  await tx
    .insertInto('node_key_lookups')
    .values({ lookup_hash: hash, organization_id: organizationId, device_id: deviceId })
    .execute()
}

type Move = { organizationId: string; fromId: string; toId: string }

/** Has the agent of one device continue as another one, whose own node keys end. Tell the servers with agent notices. */
export async function moveNodeKeys(tx: Tx, { organizationId, fromId, toId }: Move): Promise<void> {
  await endNodeKeys(tx, organizationId, toId)
  await tx
    .deleteFrom('node_key_lookups')
    .where(inOrganization('node_key_lookups', organizationId))
    .where('device_id', '=', fromId)
    .where('unconfirmed_until', 'is not', null)
    .execute()
  await tx
    .updateTable('node_key_lookups')
    .set({ device_id: toId })
    .where(inOrganization('node_key_lookups', organizationId))
    .where('device_id', '=', fromId)
    .execute()
}
