import type { AuthenticationMode } from '@muster/contract/device-authentication-modes.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockDevice } from './lock-device.ts'

type Change = {
  deviceId: string
  mode: AuthenticationMode
  /** Ignored unless the mode is the one with groups. */
  personGroupIds: readonly string[]
}

const modeWords: Record<AuthenticationMode, string> = {
  only_registered_owner: 'only its owner',
  only_registered_owner_or_group_members: 'its owner or members of groups',
  anyone: 'anyone',
}

/** Decides who may sign in with a registered device. Fails with device_not_registered, or invalid for its groups. */
export async function setAuthenticationMode(tx: Tx, change: Change, context: ChangeContext): Promise<void> {
  const device = orNotFound(await lockDevice(tx, context.organizationId, change.deviceId))
  if (device.registered_owner_id === null) fail('device_not_registered')
  const withGroups = change.mode === 'only_registered_owner_or_group_members'
  const groups = withGroups ? await knownGroups(tx, change, context) : []
  const before = await currentMode(tx, change, context)
  const isSame = before.mode === change.mode && String(before.groups) === String(groups.map((group) => group.id))
  if (isSame) return
  await write(tx, change, groups, context)
  const names = groups.map((group) => `"${group.name}"`).join(', ')
  await recordAudit(
    tx,
    {
      action: 'device.authentication_mode_updated',
      about: { device: change.deviceId, person: device.registered_owner_id },
      description: `Changed who may sign in with the device "${device.name}" from ${modeWords[before.mode]} to ${modeWords[change.mode]}${names && ` (${names})`}.`,
      changes: changesBetween(
        { authentication_mode: before.mode, person_group_ids: before.groups },
        { authentication_mode: change.mode, person_group_ids: groups.map(({ id }) => id) },
        ['authentication_mode', 'person_group_ids'],
      ),
    },
    context,
  )
}

async function knownGroups(tx: Tx, { personGroupIds }: Change, context: ChangeContext) {
  const { organizationId } = context
  const wanted = [...new Set(personGroupIds)]
  const groups = await tx
    .selectFrom('person_groups')
    .select(['id', 'name'])
    .where(inOrganization('person_groups', organizationId))
    .where('id', '=', sql<string>`any(${wanted}::bigint[])`)
    .orderBy('id')
    // A group that is being deleted would take the mode of this device along unseen.
    .forKeyShare()
    .execute()
  const missing = wanted.filter((id) => !groups.some((group) => group.id === id))
  if (wanted.length === 0) {
    fail('invalid', { errors: [{ field: 'person_group_ids', message: 'must name at least one group in this mode' }] })
  }
  if (missing.length > 0) {
    fail('invalid', {
      errors: missing.map((id) => ({
        field: `person_group_ids/${personGroupIds.indexOf(id)}`,
        message: 'there is no such person group',
      })),
    })
  }
  return groups
}

async function currentMode(tx: Tx, { deviceId }: Change, context: ChangeContext) {
  const { organizationId } = context
  const { authentication_mode: mode } = await tx
    .selectFrom('devices')
    .select('authentication_mode')
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
  const groups = await tx
    .selectFrom('device_authentication_groups')
    .select('person_group_id')
    .where(inOrganization('device_authentication_groups', organizationId))
    .where('device_id', '=', deviceId)
    .orderBy('person_group_id')
    .execute()
  return { mode, groups: groups.map((group) => group.person_group_id) }
}

async function write(tx: Tx, { deviceId, mode }: Change, groups: readonly { id: string }[], context: ChangeContext) {
  const { organizationId } = context
  await tx
    .updateTable('devices')
    .set({ authentication_mode: mode })
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .execute()
  await tx
    .deleteFrom('device_authentication_groups')
    .where(inOrganization('device_authentication_groups', organizationId))
    .where('device_id', '=', deviceId)
    .execute()
  if (groups.length === 0) return
  await tx
    .insertInto('device_authentication_groups')
    .values(groups.map(({ id }) => ({ organization_id: organizationId, device_id: deviceId, person_group_id: id })))
    .execute()
}
