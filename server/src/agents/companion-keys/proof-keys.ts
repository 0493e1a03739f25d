import { systemChange } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Tx } from '../../base/db/transact.ts'
import { isGoodInProof } from './epoch-rules.ts'
import { distrustKey } from './link-companion.ts'
import { findCompanionKey } from './queries.ts'

/** The key that a proof names, with the device that it speaks for: none before it is linked. */
export async function findProofKey(db: Db, kid: string) {
  const key = await findCompanionKey(db, kid)
  if (!key) return undefined
  const isLinked = key.status === 'linked' && key.living_device_id !== null
  return {
    organizationId: key.organization_id,
    deviceId: isLinked ? (key.living_device_id ?? undefined) : undefined,
    publicJwk: key.public_jwk,
  }
}

/** Uses up an epoch; false when it was spent before, which ends the key's link. */
export async function useEpoch(
  tx: Tx,
  { organizationId, kid, epoch, now }: { organizationId: string; kid: string; epoch: string; now: string },
): Promise<boolean> {
  const key = await tx
    .selectFrom('companion_keys')
    .select(['device_id', 'epoch', 'previous_epoch', 'epoch_at', 'is_epoch_used'])
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .forUpdate()
    .executeTakeFirst()
  if (!key) return false
  if (!isGoodInProof(key, epoch)) {
    if (key.device_id !== null) {
      await distrustKey(tx, { kid, deviceId: key.device_id }, systemChange(organizationId, now))
    }
    return false
  }
  if (!key.is_epoch_used) {
    await tx
      .updateTable('companion_keys')
      .set({ is_epoch_used: true })
      .where(inOrganization('companion_keys', organizationId))
      .where('kid', '=', kid)
      .execute()
  }
  return true
}
