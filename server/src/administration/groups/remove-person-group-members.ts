import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { findPersonGroup } from './queries.ts'
import { recordMemberships } from './record-memberships.ts'

export type PersonGroupRemoval = { personGroupId: string } & (
  | { gone: readonly string[] }
  | { staying: readonly string[] }
)

/**
 * Takes people out of a group, those named or all but those, and returns how many were in it. Who is not in it stays
 * out. Fails with not_found for the group.
 */
export async function removePersonGroupMembers(
  tx: Tx,
  removal: PersonGroupRemoval,
  context: ChangeContext,
): Promise<number> {
  const { organizationId } = context
  const { personGroupId } = removal
  const group = orNotFound(await findPersonGroup(tx, organizationId, personGroupId))
  const ids = 'gone' in removal ? removal.gone : removal.staying
  const isNamed = sql<boolean>`person_group_members.person_id = any(${ids}::bigint[])`
  const removed = await tx
    .deleteFrom('person_group_members')
    .using('people')
    .where(inOrganization('person_group_members', organizationId))
    .where('person_group_members.person_group_id', '=', personGroupId)
    .where('gone' in removal ? isNamed : sql<boolean>`not ${isNamed}`)
    .whereRef('people.organization_id', '=', 'person_group_members.organization_id')
    .whereRef('people.id', '=', 'person_group_members.person_id')
    .returning(['people.id', 'people.name'])
    .execute()
  const left = removed.sort((one, other) => (one.name < other.name ? -1 : 1))
  const sentence = (people: string) => `Took ${people} out of the person group "${group.name}".`
  await recordMemberships(tx, left, sentence, { personGroupId, action: 'person_group.members_removed' }, context)
  return removed.length
}
