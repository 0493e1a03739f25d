import { type RawBuilder, sql } from 'kysely'
import { closestSpelling, equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'

const fromUsers = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('scim_users')
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'scim_users.organization_id')
        .onRef('people.id', '=', 'scim_users.person_id'),
    )
    .select(['scim_users.person_id', 'scim_users.user_name', 'scim_users.external_id', 'scim_users.attributes'])
    .select(['scim_users.revision', 'scim_users.created_at', 'scim_users.updated_at'])
    .select(['people.email', sql<boolean>`people.deprovisioned_at is null`.as('active')])
    .where(inOrganization('scim_users', organizationId))
    .where('scim_users.deleted_at', 'is', null)

export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>

export const findUser = (reader: Reader, organizationId: string, id: string) =>
  fromUsers(reader, organizationId).where('scim_users.person_id', '=', id).executeTakeFirst()

/** As `findUser`; nobody else changes the user before the transaction ends. */
export const lockUser = (tx: Tx, organizationId: string, id: string) =>
  fromUsers(tx, organizationId).where('scim_users.person_id', '=', id).forNoKeyUpdate('scim_users').executeTakeFirst()

export type ScimPage = {
  readonly organizationId: string
  readonly where: RawBuilder<boolean> | undefined
  readonly offset: number
  readonly limit: number
}

export const listUsers = (reader: Reader, { organizationId, where, offset, limit }: ScimPage) =>
  fromUsers(reader, organizationId)
    .$if(where !== undefined, (query) => query.where(where ?? sql<boolean>`true`))
    .orderBy('scim_users.person_id')
    .limit(limit)
    .offset(offset)
    .execute()

export async function countUsers(
  reader: Reader,
  organizationId: string,
  where: RawBuilder<boolean> | undefined,
): Promise<number> {
  const { total } = await reader
    .selectFrom('scim_users')
    .select(sql<string>`count(*)`.as('total'))
    .where(inOrganization('scim_users', organizationId))
    .where('scim_users.deleted_at', 'is', null)
    .$if(where !== undefined, (query) => query.where(where ?? sql<boolean>`true`))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** The person with this address, if any, and whether a user is bound to them already; locked. */
export const lockPersonOfEmail = (tx: Tx, organizationId: string, email: string) =>
  tx
    .selectFrom('people')
    .select(['people.id', 'people.name', 'people.email'])
    .select(
      sql<boolean>`exists (
      select from scim_users where scim_users.organization_id = people.organization_id
        and scim_users.person_id = people.id and scim_users.deleted_at is null)`.as('is_managed'),
    )
    .where(inOrganization('people', organizationId))
    .where(equalsFolded('people.email', email))
    .orderBy(closestSpelling('people.email', email), 'desc')
    .limit(1)
    .forNoKeyUpdate('people')
    .executeTakeFirst()

/** Everyone with this address, and one more person, in the order of their identifiers so that two who swap do not deadlock; locked. */
export const lockPeopleOfEmail = (tx: Tx, organizationId: string, email: string, personId: string | undefined) =>
  tx
    .selectFrom('people')
    .select(['id', 'deprovisioned_at'])
    .where(inOrganization('people', organizationId))
    .where((build) => build.or([equalsFolded('email', email), ...(personId ? [build('id', '=', personId)] : [])]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

/** The person who was the last deleted user of this name; locked. */
export const lockDeletedUser = (tx: Tx, organizationId: string, userName: string) =>
  tx
    .selectFrom('scim_users')
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'scim_users.organization_id')
        .onRef('people.id', '=', 'scim_users.person_id'),
    )
    .select(['people.id', 'people.name', 'people.email', sql<boolean>`false`.as('is_managed')])
    .where(inOrganization('scim_users', organizationId))
    .where('scim_users.deleted_at', 'is not', null)
    .where(equalsFolded('scim_users.user_name', userName))
    .orderBy('scim_users.deleted_at', 'desc')
    .limit(1)
    .forNoKeyUpdate('people')
    .executeTakeFirst()

/** Of these identifiers those of users, who stay users until the transaction ends. */
export async function lockUsers(tx: Tx, organizationId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('scim_users')
    .select('person_id')
    .where(inOrganization('scim_users', organizationId))
    .where('person_id', '=', sql<string>`any(${ids}::bigint[])`)
    .where('deleted_at', 'is', null)
    .orderBy('person_id')
    .forShare()
    .execute()
  return new Set(rows.map((row) => row.person_id))
}
