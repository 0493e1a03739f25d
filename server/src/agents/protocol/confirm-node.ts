import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { linkCompanion } from '../companion-keys/link-companion.ts'
import { findIdentityKey } from '../companion-keys/queries.ts'
import { enrollAgain } from './enroll-again.ts'
import { findEnrollmentSecretById } from './enrollment-queries.ts'
import type { DeviceFacts } from './enrollment-rules.ts'
import { endNodeKeys } from './node-key-lookups.ts'

type Shown = {
  deviceId: string
  /** Of the node that waits. */
  lookupHash: Buffer
  /** The files that it has shown. */
  names: ReadonlySet<string>
}

/**
 * Puts an unconfirmed node in service: it has shown the file that the linked companion of the device was
 * asked for, so both are on one machine. The earlier nodes end, and the registration stays as it is. Does nothing for any other
 * file, nor while two companions with one key contend.
 */
export async function confirmNode(
  tx: Tx,
  { deviceId, lookupHash, names }: Shown,
  change: ChangeContext,
): Promise<void> {
  const { organizationId, now } = change
  const device = await lockDevice(tx, organizationId, deviceId)
  const enrollment = await findUnconfirmed(tx, organizationId, lookupHash, now)
  const key = await findIdentityKey(tx, organizationId, deviceId)
  const isShown = key?.link_name != null && names.has(key.link_name) && key.contest_ends_at === null
  const secret =
    enrollment && (await findEnrollmentSecretById(tx, organizationId, enrollment.enrollment_secret_id, now))
  if (!device || !secret || !isShown) return
  await linkCompanion(tx, { kid: key.kid, deviceId }, change)
  await endNodeKeys(tx, organizationId, deviceId, lookupHash)
  await tx
    .updateTable('node_key_lookups')
    .set({ unconfirmed_until: null, enrollment: null })
    .where(inOrganization('node_key_lookups', organizationId))
    .where('lookup_hash', '=', lookupHash)
    .execute()
  // Stored by `addUnconfirmedNode`.
  const facts = enrollment.facts as DeviceFacts
  const remark = ', confirmed by its companion'
  const { cause, requestId, actor } = change
  const { ip_address: ipAddress } = enrollment
  const then = { ...change, actor: { ...actor, source: ipAddress === null ? null : { cause, requestId, ipAddress } } }
  await enrollAgain(tx, device, { secret, facts, doubt: undefined, remark }, then)
}

async function findUnconfirmed(tx: Tx, organizationId: string, lookupHash: Buffer, now: string) {
  const row = await tx
    .selectFrom('node_key_lookups')
    .select('enrollment')
    .where(inOrganization('node_key_lookups', organizationId))
    .where('lookup_hash', '=', lookupHash)
    .where('unconfirmed_until', '>', now)
    .forUpdate()
    .executeTakeFirst()
  return row?.enrollment ?? undefined
}
