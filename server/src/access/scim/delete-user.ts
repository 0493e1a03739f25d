import { sql } from 'kysely'
import { removePersonGroupMembers } from '../../administration/groups/remove-person-group-members.ts'
import { deprovisionPerson } from '../../administration/registrations/deprovision-person.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { foldText } from '../../base/fold-text.ts'
import { updatePerson } from '../../inventory/people/update-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { touchGroup } from './change-group.ts'
import { lockGroupsOfUser } from './group-queries.ts'
import { type Precondition, requireVersion } from './require-version.ts'
import { addressOf } from './user-draft.ts'
import { lockPersonOfEmail, lockUser, type UserRow } from './user-queries.ts'

/**
 * Deletes a user: the person is deprovisioned, leaves the groups of the identity provider, and is kept, to be linked
 * again by the same address or user name. The other attributes are not kept. Fails with not_found, also when repeated.
 */
export async function deleteUser(tx: Tx, id: string, precondition: Precondition, call: ChangeContext): Promise<void> {
  const { organizationId } = call
  // Changes of members lock the group before the users.
  const groups = await lockGroupsOfUser(tx, organizationId, id)
  const user = orNotFound(await lockUser(tx, organizationId, id))
  requireVersion(precondition, user.revision)
  await forget(tx, id, call)
  await deprovisionPerson(tx, { personId: id }, call)
  if (!user.active) await dropKeptAddress(tx, user, call)
  for (const personGroupId of groups) {
    await removePersonGroupMembers(tx, { personGroupId, gone: [id] }, call)
    await touchGroup(tx, personGroupId, call)
  }
  const description = `Deleted the SCIM user "${user.user_name}".`
  await recordAudit(tx, { action: 'scim_user.deleted', about: { person: id }, description }, call)
}

/** Once the user is forgotten, whoever got an address that they only kept would be linked to them. A DELETE is never a conflict. */
async function dropKeptAddress(tx: Tx, user: UserRow, call: ChangeContext): Promise<void> {
  const said = addressOf(user.attributes, user.user_name)
  if (foldText(said) === foldText(user.email)) return
  if (await lockPersonOfEmail(tx, call.organizationId, said)) return
  await updatePerson(tx, { personId: user.person_id, email: said }, call)
}

async function forget(tx: Tx, id: string, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const nothing = { external_id: null, emails: [], attributes: '{}' }
  await tx
    .updateTable('scim_users')
    .set({ ...nothing, deleted_at: now, updated_at: now, revision: sql<string>`revision + 1` })
    .where(inOrganization('scim_users', organizationId))
    .where('person_id', '=', id)
    .execute()
}
