import { sql } from 'kysely'
import { suspendRegistration } from '../../administration/registrations/suspend-registration.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Tx } from '../../base/db/transact.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Linked = { kid: string; deviceId: string; by?: 'file' | 'node_key' }

/**
 * Lets a key speak for a device, after its osquery node has reported the key's file or the key came with its node key.
 * It takes the place of the device's earlier key; of a registered device the registration is in doubt then, unless the
 * earlier key has vouched for the new one. A key that speaks for the device already does so for another day.
 */
export async function linkCompanion(tx: Tx, linked: Linked, context: ChangeContext): Promise<void> {
  const { kid, deviceId } = linked
  const { organizationId, now } = context
  const device = await lockDevice(tx, organizationId, deviceId)
  if (!device) return
  const before = await findLink(tx, organizationId, kid)
  const isSameLink = before?.linked_at != null && before.device_id === deviceId
  await saveLink(tx, linked, isSameLink ? {} : { linked_at: now }, context)
  if (before?.status === 'linked' && isSameLink) return
  const replaced = await tx
    .deleteFrom('companion_keys')
    .where(inOrganization('companion_keys', organizationId))
    .where('device_id', '=', deviceId)
    // Also one whose link is being proved again.
    .where('linked_at', 'is not', null)
    .where('kid', '<>', kid)
    .returning('kid')
    .execute()
  const isVouched = replaced.every(({ kid: earlier }) => earlier === before?.public_jwk.vouched_by)
  await recordAudit(
    tx,
    {
      action: 'device.companion_linked',
      about: { device: deviceId, person: device.registered_owner_id },
      description: describeLink(device.name, { isReplacing: replaced.length > 0, isVouched }),
    },
    context,
  )
  if (!isVouched && device.registered_owner_id !== null) {
    await suspendRegistration(tx, device, 'its companion was replaced by one with another key', context)
  }
  await queueAgentNotice(tx, organizationId, deviceId, now)
}

/** A link that is confirmed decides a contest: a second companion with the key has none. */
async function saveLink(
  tx: Tx,
  { kid, deviceId, by = 'file' }: Linked,
  since: { linked_at?: string },
  { organizationId, now }: ChangeContext,
): Promise<void> {
  const decided = { contest_ends_at: null, rival_epoch: null, rival_since: null, rival_link_name: null }
  await tx
    .updateTable('companion_keys')
    .set({ status: 'linked', device_id: deviceId, link_name: null, confirmed_at: now, linked_by: by })
    .set({ ...since, ...decided })
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .execute()
}

const findLink = (tx: Tx, organizationId: string, kid: string) =>
  tx
    .selectFrom('companion_keys')
    .select(['status', 'device_id', 'public_jwk', 'linked_at'])
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .forUpdate()
    .executeTakeFirst()

function describeLink(name: string, { isReplacing, isVouched }: { isReplacing: boolean; isVouched: boolean }): string {
  if (!isReplacing) return `Linked a companion to the device "${name}".`
  const how = isVouched ? ', which has vouched for it' : ''
  return `Linked a new companion to the device "${name}" in place of its earlier one${how}.`
}

/** Ends the link of a key that its device no longer confirms. Its file is still asked for. */
export async function endLink(
  tx: Tx,
  { kid, deviceId }: { kid: string; deviceId: string },
  context: ChangeContext,
): Promise<void> {
  const { organizationId, now } = context
  const device = await lockDevice(tx, organizationId, deviceId)
  const { numUpdatedRows } = await tx
    .updateTable('companion_keys')
    .set({ status: 'linking' })
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .where('status', '=', 'linked')
    .executeTakeFirst()
  if (!device || numUpdatedRows === 0n) return
  await queueAgentNotice(tx, organizationId, deviceId, now)
  await recordAudit(
    tx,
    {
      action: 'device.companion_unlinked',
      about: { device: deviceId },
      description: `Ended the link of the companion to the device "${device.name}": osquery on the device did not confirm it.`,
    },
    context,
  )
}

/** Ends the links of keys of all organizations that only their node keys vouch for: these count in a trial alone. */
export async function endLinksByNodeKey(db: Db): Promise<void> {
  await sql`update companion_keys set status = 'linking' where linked_by = 'node_key' and status = 'linked'`.execute(db)
}
