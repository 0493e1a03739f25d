import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

export type Upstream = NonNullable<Awaited<ReturnType<typeof findUpstream>>>

const oldestFirst: Keyset = { id: { column: 'signin_upstreams.id', type: 'bigint' }, direction: 'asc' }

/** The upstreams of an organization, oldest first. */
export const listUpstreams = (reader: Reader, organizationId: string) =>
  ofOrganization(reader, organizationId).orderBy('id').execute()

export const listUpstreamPage = (reader: Reader, { organizationId, after, limit }: ListPage) =>
  ofOrganization(reader, organizationId)
    .$call(nextRows(oldestFirst, after, limit))
    .execute()

export const findUpstream = (reader: Reader, organizationId: string, id: string) =>
  ofOrganization(reader, organizationId).where('id', '=', id).executeTakeFirst()

const ofOrganization = (reader: Reader, organizationId: string) =>
  reader.selectFrom('signin_upstreams').selectAll().where(inOrganization('signin_upstreams', organizationId))

type Place = Pick<Upstream, 'organization_id' | 'issuer' | 'client_id'>

/** The place that its client secret is sealed for: no other issuer is ever shown it. */
export const upstreamSecretPlace = ({ organization_id: organizationId, issuer, client_id: clientId }: Place) => [
  'signin_upstream',
  organizationId,
  issuer,
  clientId,
]
