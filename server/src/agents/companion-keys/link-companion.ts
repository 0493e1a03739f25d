import { sql } from 'kysely'
import { suspendRegistration } from '../../administration/registrations/suspend-registration.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Tx } from '../../base/db/transact.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { linkNameAt } from './link-name.ts'
import { listLinkingKeys } from './queries.ts'

/**
 * Lets a key speak for a device, after its osquery node has reported the key's file or the key came with its node key.
 * It takes the place of the device's earlier key; of a registered device the registration is in doubt then, unless the
 * earlier key has vouched for the new one. A key that speaks for the device already does so for another day.
 */
export async function linkCompanion(
  tx: Tx,
  { kid, deviceId, by = 'file' }: { kid: string; deviceId: string; by?: 'file' | 'node_key' },
  context: ChangeContext,
): Promise<void> {
  const { organizationId, now } = context
  const device = await lockDevice(tx, organizationId, deviceId)
  if (!device) return
  const before = await findLink(tx, organizationId, kid)
  await tx
    .updateTable('companion_keys')
    .set({ status: 'linked', device_id: deviceId, link_name: null, linked_at: now, linked_by: by })
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .execute()
  if (before?.status === 'linked' && before.device_id === deviceId) return
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

const findLink = (tx: Tx, organizationId: string, kid: string) =>
  tx
    .selectFrom('companion_keys')
    .select(['status', 'device_id', 'public_jwk'])
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .forUpdate()
    .executeTakeFirst()

function describeLink(name: string, { isReplacing, isVouched }: { isReplacing: boolean; isVouched: boolean }): string {
  if (!isReplacing) return `Linked a companion to the device "${name}".`
  const how = isVouched ? ', which has vouched for it' : ''
  return `Linked a new companion to the device "${name}" in place of its earlier one${how}.`
}

/** Links the keys whose files the device's osquery node has reported. */
export async function linkReported(
  tx: Tx,
  { deviceId, names }: { deviceId: string; names: ReadonlySet<string> },
  context: ChangeContext,
): Promise<number> {
  const waiting = await listLinkingKeys(tx, context.organizationId, deviceId)
  const reported = waiting.filter(({ link_name: name }) => name !== null && names.has(name))
  // Two companions of one machine: the one that was asked last stays.
  for (const { kid } of reported) await linkCompanion(tx, { kid, deviceId }, context)
  return reported.length
}

/** Asks the device's osquery node for the file of a key. */
export async function askForLink(
  tx: Tx,
  { kid, deviceId }: { kid: string; deviceId: string },
  { organizationId, now }: ChangeContext,
): Promise<void> {
  await tx
    .updateTable('companion_keys')
    .set({ status: 'linking', device_id: deviceId, link_name: linkNameAt(now) })
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .execute()
  await queueAgentNotice(tx, organizationId, deviceId, now)
}

/** Asks for the file of a key that is linked, which stays so meanwhile. */
export async function askForLinkAgain(
  tx: Tx,
  { kid, deviceId }: { kid: string; deviceId: string },
  { organizationId, now }: ChangeContext,
): Promise<void> {
  await tx
    .updateTable('companion_keys')
    .set({ link_name: linkNameAt(now) })
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .execute()
  await queueAgentNotice(tx, organizationId, deviceId, now)
}

/** Ends the link of a key whose device no longer confirms it. Its file is still asked for. */
export async function endLink(
  tx: Tx,
  { kid, deviceId }: { kid: string; deviceId: string },
  { organizationId, now }: ChangeContext,
): Promise<void> {
  await tx
    .updateTable('companion_keys')
    .set({ status: 'linking' })
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .execute()
  await queueAgentNotice(tx, organizationId, deviceId, now)
}

/** Ends the links of keys of all organizations that only their node keys vouch for: these count in a trial alone. */
export async function endLinksByNodeKey(db: Db): Promise<void> {
  await sql`update companion_keys set status = 'linking' where linked_by = 'node_key' and status = 'linked'`.execute(db)
}
