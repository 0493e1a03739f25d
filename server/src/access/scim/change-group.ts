import { sql } from 'kysely'
import { addPersonGroupMembers } from '../../administration/groups/add-person-group-members.ts'
import { removePersonGroupMembers } from '../../administration/groups/remove-person-group-members.ts'
import { renamePersonGroup } from '../../administration/groups/rename-person-group.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { type GroupRow, lockGroup } from './group-queries.ts'
import { type Precondition, requireVersion } from './require-version.ts'
import { refuse } from './scim-error.ts'
import { lockUsers } from './user-queries.ts'

/** What is left out stays as it is. */
export type GroupChange = {
  readonly displayName?: string
  readonly externalId?: string | null
  readonly members?: MemberChange
}

export type MemberChange = {
  /** Nobody stays who is not in `added`. */
  readonly isWhole: boolean
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

type Asked = { id: string; precondition: Precondition; change: GroupChange }

/**
 * Changes a group; writes nothing where nothing changes. The members that stay are not read. Fails with not_found, and
 * with invalidValue for members who are no users.
 */
export async function changeGroup(tx: Tx, { id, precondition, change }: Asked, call: ChangeContext): Promise<void> {
  const group = orNotFound(await lockGroup(tx, call.organizationId, id))
  requireVersion(precondition, group.revision)
  const areNamesNew = await changeNames(tx, group, change, call)
  const areMembersNew = change.members ? await changeMembers(tx, id, change.members, call) : false
  if (areNamesNew || areMembersNew) await touchGroup(tx, id, call)
}

async function changeNames(tx: Tx, group: GroupRow, change: GroupChange, call: ChangeContext): Promise<boolean> {
  const { organizationId } = call
  const { displayName = group.display_name, externalId = group.external_id } = change
  if (displayName === group.display_name && externalId === group.external_id) return false
  const { person_group_id: personGroupId } = group
  await tx
    .updateTable('scim_groups')
    .set({
      display_name: displayName,
      external_id: externalId,
      is_duplicate: sql<boolean>`is_duplicate and display_name = ${displayName}`,
    })
    .where(inOrganization('scim_groups', organizationId))
    .where('person_group_id', '=', personGroupId)
    .execute()
  await renamePersonGroup(tx, { personGroupId, name: displayName }, call)
  if (externalId === group.external_id) return true
  const named = (text: string | null) => (text === null ? 'nothing' : `"${text}"`)
  const description = `Changed the externalId of the person group "${displayName}" from ${named(group.external_id)} to ${named(externalId)}.`
  await recordAudit(tx, { action: 'scim_group.updated', about: { person_group: personGroupId }, description }, call)
  return true
}

async function changeMembers(tx: Tx, id: string, { isWhole, added, removed }: MemberChange, call: ChangeContext) {
  const joined = added.length > 0 ? await addMembers(tx, id, added, call) : 0
  const left = isWhole
    ? await removePersonGroupMembers(tx, { personGroupId: id, staying: added }, call)
    : removed.length > 0
      ? await removePersonGroupMembers(tx, { personGroupId: id, gone: removed }, call)
      : 0
  return joined + left > 0
}

/** Adds users to a group and returns how many were not in it. */
export async function addMembers(tx: Tx, id: string, members: readonly string[], call: ChangeContext): Promise<number> {
  const { organizationId } = call
  const known = await lockUsers(tx, organizationId, members)
  if (members.some((member) => !known.has(member))) {
    refuse(400, 'invalidValue', 'A member of the group is no user of this service.')
  }
  return addPersonGroupMembers(tx, { personGroupId: id, personIds: members }, call)
}

/** Notes that the group has changed. */
export async function touchGroup(tx: Tx, id: string, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  await tx
    .updateTable('scim_groups')
    .set({ revision: sql<string>`revision + 1`, updated_at: now })
    .where(inOrganization('scim_groups', organizationId))
    .where('person_group_id', '=', id)
    .execute()
}
