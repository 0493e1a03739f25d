import { type Expression, sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

export type SignInConnection = NonNullable<Awaited<ReturnType<typeof findConnection>>>

/** The connections of an organization, oldest first. */
export const listConnections = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('signin_connections')
    .selectAll()
    .where(inOrganization('signin_connections', organizationId))
    .orderBy('id')
    .execute()

const oldestFirst: Keyset = { id: { column: 'signin_connections.id', type: 'bigint' }, direction: 'asc' }

export const listConnectionPage = (reader: Reader, { organizationId, after, limit }: ListPage) =>
  reader
    .selectFrom('signin_connections')
    .selectAll()
    .where(inOrganization('signin_connections', organizationId))
    .$call(nextRows(oldestFirst, after, limit))
    .execute()

export const findConnection = (reader: Reader, organizationId: string, clientId: string) =>
  reader
    .selectFrom('signin_connections')
    .selectAll()
    .where(inOrganization('signin_connections', organizationId))
    .where('client_id', '=', clientId)
    .executeTakeFirst()

/** The connection of a client, with identifiers of keys that are read in the same statement. */
export const findConnectionWith = (
  reader: Reader,
  organizationId: string,
  clientId: string,
  kids: Expression<string[]>,
) =>
  reader
    .selectFrom('signin_connections')
    .selectAll()
    .select(sql`${kids}`.$castTo<string[]>().as('kids'))
    .where(inOrganization('signin_connections', organizationId))
    .where('client_id', '=', clientId)
    .executeTakeFirst()

export const findConnectionById = (reader: Reader, organizationId: string, id: string) =>
  reader
    .selectFrom('signin_connections')
    .selectAll()
    .where(inOrganization('signin_connections', organizationId))
    .where('id', '=', id)
    .executeTakeFirst()

/** The place that a client secret is sealed for. */
export const secretPlace = (organizationId: string, clientId: string): string[] => [
  'signin_connection',
  organizationId,
  clientId,
]
