import { systemChange } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { dayMs } from '../../base/time.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { askForLinkAgain } from './ask-for-link.ts'
import { contestEnd, type Epochs, isKnownEpoch } from './epoch-rules.ts'
import type { CompanionKey } from './queries.ts'

type SeenKey = Epochs & Pick<CompanionKey, 'kid' | 'organization_id' | 'living_device_id' | 'seen_twice_at'>

/**
 * Notes a check-in of a second companion with a key: `before` as the key was found, `key` with what the check-in has changed. Has
 * the osquery node asked for its file where that is a new one.
 */
export async function noteRival(
  tx: Tx,
  { before, key }: { before: CompanionKey; key: CompanionKey },
  presented: string | null,
  now: string,
): Promise<void> {
  const { organization_id: organizationId, living_device_id: deviceId, rival_link_name: name } = key
  await noteEpoch(tx, before, presented, now)
  const isAsked = name !== null && name !== before.rival_link_name
  if (isAsked && deviceId !== null) await queueAgentNotice(tx, organizationId, deviceId, now)
}

/** Notes when a proof by a key was last accepted. */
export async function noteProof(tx: Tx, key: Pick<SeenKey, 'kid' | 'organization_id'>, now: string): Promise<void> {
  await tx
    .updateTable('companion_keys')
    .set({ last_proved_at: now })
    .where(inOrganization('companion_keys', key.organization_id))
    .where('kid', '=', key.kid)
    .execute()
}

/** How often a key that was seen twice is noted. */
const betweenNotesMs = dayMs

/**
 * Notes that a key was seen with an epoch that is spent: another machine may hold a copy of it, or this one was put back
 * to an earlier state. The first time, a contest begins: the device proves the link to its osquery node again at once.
 */
export async function noteEpoch(tx: Tx, key: SeenKey, presented: string | null, now: string): Promise<void> {
  const { kid, organization_id: organizationId, living_device_id: deviceId, seen_twice_at: notedAt } = key
  const isNoted = notedAt !== null && Date.parse(now) - Date.parse(notedAt) < betweenNotesMs
  if (isKnownEpoch(key, presented) || deviceId === null || isNoted) return
  const context = systemChange(organizationId, now)
  const { numUpdatedRows } = await tx
    .updateTable('companion_keys')
    .set({ seen_twice_at: now, ...(notedAt === null && { contest_ends_at: contestEnd(now) }) })
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .where('seen_twice_at', 'is not distinct from', notedAt)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  // A file that was asked for before may have been named to both.
  if (notedAt === null) await askForLinkAgain(tx, { kid, deviceId }, context)
  const { name } = await tx
    .selectFrom('devices')
    .select('name')
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
  const description = `The companion key of the device "${name}" was used with an outdated state. It may be on two machines.`
  await recordAudit(
    tx,
    { action: 'device.companion_key_seen_twice', about: { device: deviceId }, description },
    context,
  )
}
