import type { webhookEndpointSearch } from '@muster/contract/webhook-endpoints.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

// An organization has fifty at most, which the primary key finds: none of these needs an index of its own.
const columns = {
  id: { column: 'webhook_endpoints.id', type: 'bigint' },
  url: { column: 'webhook_endpoints.url', type: 'text' },
  description: { column: 'webhook_endpoints.description', type: 'text' },
  events: { column: 'webhook_endpoints.events', type: 'text[]' },
  enabled: { column: sql`(webhook_endpoints.disabled_at is null)`, type: 'boolean' },
  created_at: { column: 'webhook_endpoints.created_at', type: 'timestamptz' },
} satisfies SearchColumns<typeof webhookEndpointSearch>

const oldestFirst: Keyset = { id: { column: 'webhook_endpoints.id', type: 'bigint' }, direction: 'asc' }

const fromEndpoints = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('webhook_endpoints')
    .where(inOrganization('webhook_endpoints', organizationId))
    .where('webhook_endpoints.deleted_at', 'is', null)

const withStanding = (reader: Reader, organizationId: string) =>
  fromEndpoints(reader, organizationId)
    .innerJoin('webhook_standings as standing', (join) =>
      join
        .onRef('standing.organization_id', '=', 'webhook_endpoints.organization_id')
        .onRef('standing.endpoint_id', '=', 'webhook_endpoints.id'),
    )
    .selectAll('webhook_endpoints')
    .select(['standing.failing_since', 'standing.last_error', 'standing.last_delivered_at'])

export type EndpointRecord = NonNullable<Awaited<ReturnType<typeof findEndpoint>>>
export type Endpoint = NonNullable<Awaited<ReturnType<typeof lockEndpoint>>>

/** An endpoint and how its receiver stands. */
export const findEndpoint = (reader: Reader, organizationId: string, id: string) =>
  withStanding(reader, organizationId).where('webhook_endpoints.id', '=', id).executeTakeFirst()

/** Locked until the transaction ends, so that changes follow one another. */
export const lockEndpoint = (tx: Tx, organizationId: string, id: string) =>
  fromEndpoints(tx, organizationId)
    .selectAll('webhook_endpoints')
    .where('webhook_endpoints.id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

export const listEndpoints = (reader: Reader, page: ListPage): Promise<EndpointRecord[]> =>
  withStanding(reader, page.organizationId)
    .$call(onPage(page, oldestFirst, columns))
    .execute()

export async function countEndpoints(reader: Reader, organizationId: string): Promise<number> {
  const { count } = await fromEndpoints(reader, organizationId)
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}
