import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { findPersonGroup, listNames } from './queries.ts'
import { recordMemberships } from './record-memberships.ts'

export type PersonGroupAddition = { personGroupId: string; personIds: readonly string[] }

/**
 * Adds people to a group and returns how many were not in it; the others stay. Fails with not_found, adding nobody,
 * where one is unknown.
 */
export async function addPersonGroupMembers(
  tx: Tx,
  addition: PersonGroupAddition,
  context: ChangeContext,
): Promise<number> {
  const { organizationId } = context
  const { personGroupId } = addition
  const group = orNotFound(await findPersonGroup(tx, organizationId, personGroupId))
  const ids = [...new Set(addition.personIds)]
  const names = await listNames(tx, organizationId, ids)
  for (const id of ids) orNotFound(names.get(id))
  const added = await insertMembers(tx, organizationId, personGroupId, ids)
  const joined = added.map((id) => ({ id, name: names.get(id) ?? '' }))
  const sentence = (people: string) => `Added ${people} to the person group "${group.name}".`
  await recordMemberships(tx, joined, sentence, { personGroupId, action: 'person_group.members_added' }, context)
  return added.length
}

async function insertMembers(tx: Tx, organizationId: string, personGroupId: string, ids: readonly string[]) {
  const { rows } = await sql<{ person_id: string }>`
    insert into person_group_members (organization_id, person_group_id, person_id)
    select ${organizationId}::bigint, ${personGroupId}::bigint, person_id
    from unnest(${ids}::bigint[]) as added (person_id)
    on conflict on constraint person_group_members_pkey do nothing
    returning person_id
  `.execute(tx)
  return rows.map((row) => row.person_id)
}
