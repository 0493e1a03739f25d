import { type RawBuilder, sql } from 'kysely'
import { listNames } from '../../administration/groups/queries.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import type { ScimPage } from './user-queries.ts'

const fromGroups = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('scim_groups')
    .select(['person_group_id', 'display_name', 'external_id', 'revision', 'created_at', 'updated_at'])
    .where(inOrganization('scim_groups', organizationId))

export type GroupRow = NonNullable<Awaited<ReturnType<typeof findGroup>>>

export const findGroup = (reader: Reader, organizationId: string, id: string) =>
  fromGroups(reader, organizationId).where('person_group_id', '=', id).executeTakeFirst()

/** As `findGroup`; nobody else changes the group or its members before the transaction ends. */
export const lockGroup = (tx: Tx, organizationId: string, id: string) =>
  fromGroups(tx, organizationId).where('person_group_id', '=', id).forUpdate().executeTakeFirst()

export const listGroups = (reader: Reader, { organizationId, where, offset, limit }: ScimPage) =>
  fromGroups(reader, organizationId)
    .$if(where !== undefined, (query) => query.where(where ?? sql<boolean>`true`))
    .orderBy('person_group_id')
    .limit(limit)
    .offset(offset)
    .execute()

export async function countGroups(
  reader: Reader,
  organizationId: string,
  where: RawBuilder<boolean> | undefined,
): Promise<number> {
  const { total } = await reader
    .selectFrom('scim_groups')
    .select(sql<string>`count(*)`.as('total'))
    .where(inOrganization('scim_groups', organizationId))
    .$if(where !== undefined, (query) => query.where(where ?? sql<boolean>`true`))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** The groups of the identity provider that someone is in, locked in order. */
export async function lockGroupsOfUser(tx: Tx, organizationId: string, personId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('scim_groups')
    .select('person_group_id')
    .where(inOrganization('scim_groups', organizationId))
    .where('person_group_id', 'in', (build) =>
      build
        .selectFrom('person_group_members')
        .select('person_group_members.person_group_id')
        .where(inOrganization('person_group_members', organizationId))
        .where('person_group_members.person_id', '=', personId),
    )
    .orderBy('person_group_id')
    .forUpdate()
    .execute()
  return rows.map((row) => row.person_group_id)
}

export type MemberRow = { person_group_id: string; person_id: string; name: string }

/** The members of groups, group by group; at most `limit` of all together, unless left out. */
export async function listMembers(
  reader: Reader,
  organizationId: string,
  groupIds: readonly string[],
  limit?: number,
): Promise<MemberRow[]> {
  const members = await reader
    .selectFrom('person_group_members')
    .select(['person_group_id', 'person_id'])
    .where(inOrganization('person_group_members', organizationId))
    .where('person_group_id', '=', sql<string>`any(${groupIds}::bigint[])`)
    .orderBy('person_group_id')
    .orderBy('person_id')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute()
  // Apart from the members: where the planner takes both for few, a join reads everyone for each member.
  const names = await listNames(reader, organizationId, [...new Set(members.map((member) => member.person_id))])
  return members.flatMap((member) => {
    const name = names.get(member.person_id)
    return name === undefined ? [] : [{ ...member, name }]
  })
}
