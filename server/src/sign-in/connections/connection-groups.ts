import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { SignInConnection } from './connection-queries.ts'

type Chosen = Pick<SignInConnection, 'group_ids'>
export type ConnectionGroup = { id: string; name: string }

/** The groups that the connections may name to their applications, by identifier. Reads nothing where there are none. */
export async function readGroupsOf(
  reader: Reader,
  organizationId: string,
  connections: readonly Chosen[],
): Promise<ReadonlyMap<string, ConnectionGroup>> {
  const ids = [...new Set(connections.flatMap(({ group_ids: chosen }) => chosen))]
  if (ids.length === 0) return new Map()
  const rows = await reader
    .selectFrom('person_groups')
    .select(['id', 'name'])
    .where(inOrganization('person_groups', organizationId))
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The groups of each connection for the audit log, as "Finance (27)". */
export async function describeGroups(
  reader: Reader,
  organizationId: string,
  connections: readonly Chosen[],
): Promise<string[][]> {
  const known = await readGroupsOf(reader, organizationId, connections)
  const named = (id: string) => (known.has(id) ? [`${known.get(id)?.name} (${id})`] : [])
  return connections.map(({ group_ids: ids }) => ids.flatMap(named))
}

/** Of these groups the ones that a person is in, by name. */
export async function listNamesOfPerson(
  reader: Reader,
  organizationId: string,
  { personId, groupIds }: { personId: string; groupIds: readonly string[] },
): Promise<string[]> {
  if (groupIds.length === 0) return []
  const rows = await reader
    .selectFrom('person_group_members as member')
    .innerJoin('person_groups as person_group', (join) =>
      join
        .onRef('person_group.organization_id', '=', 'member.organization_id')
        .onRef('person_group.id', '=', 'member.person_group_id'),
    )
    .select('person_group.name')
    .where('member.organization_id', '=', organizationId)
    .where('member.person_id', '=', personId)
    .where('member.person_group_id', '=', sql<string>`any(${[...groupIds]}::bigint[])`)
    .orderBy('person_group.name', (order) => order.collate('C'))
    .execute()
  return [...new Set(rows.map(({ name }) => name))]
}

/** Fails with invalid where one is no person group of the organization. Returns each once. */
export async function requireGroups(tx: Tx, organizationId: string, asked: readonly string[]): Promise<string[]> {
  const ids = [...new Set(asked)]
  const known = await readGroupsOf(tx, organizationId, [{ group_ids: ids }])
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    const message = `must be person groups of the organization: ${unknown.slice(0, 5).join(', ')}`
    fail('invalid', { errors: [{ field: 'group_ids', message }] })
  }
  return ids
}
