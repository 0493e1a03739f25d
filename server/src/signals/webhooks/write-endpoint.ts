import { sql, type Updateable } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { notify } from '../webhook-ledger/queue-webhooks.ts'
import { type CustomHeaders, type EndpointPlace, sealHeaders, unsealHeaders } from './endpoint-secret.ts'
import type { Endpoint } from './queries.ts'

type Columns = Omit<Updateable<Database['webhook_endpoints']>, 'organization_id' | 'id' | 'updated_at'>

/** Writes what has changed of an endpoint, and tells deliverers. */
export async function writeEndpoint(
  tx: Tx,
  { organization_id: organizationId, id }: Pick<Endpoint, 'organization_id' | 'id'>,
  columns: Columns,
  now: string,
): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({
      ...columns,
      // Later with every change, by which deliverers know that there was one.
      updated_at: sql<string>`greatest(${now}::timestamptz, updated_at + interval '1 millisecond')`,
    })
    .where(inOrganization('webhook_endpoints', organizationId))
    .where('id', '=', id)
    .execute()
  await notify(tx, organizationId)
}

/** What waits is tried without waiting for its time: all of it, or a first one where the endpoint has been failing. */
export async function tryAtOnce(
  tx: Tx,
  { organization_id: organizationId, id }: Pick<Endpoint, 'organization_id' | 'id'>,
  now: string,
): Promise<void> {
  await tx
    .updateTable('webhook_standings')
    .set({ probe_at: now })
    .where(inOrganization('webhook_standings', organizationId))
    .where('endpoint_id', '=', id)
    .execute()
}

/** The same as if nothing had been sent to it yet: all of it. */
export async function beginAnew(
  tx: Tx,
  { organization_id: organizationId, id }: Pick<Endpoint, 'organization_id' | 'id'>,
  now: string,
): Promise<void> {
  await tx
    .updateTable('webhook_standings')
    .set({ failing_since: null, last_error: null, probe_at: now })
    .where(inOrganization('webhook_standings', organizationId))
    .where('endpoint_id', '=', id)
    .execute()
}

export const sealedOrNull = (secrets: Secrets, headers: CustomHeaders, place: EndpointPlace): Buffer | null =>
  Object.keys(headers).length === 0 ? null : sealHeaders(secrets, headers, place)

type Sealed = Pick<Endpoint, 'organization_id' | 'id' | 'sealed_headers'>

/** The custom headers of an endpoint, in plain text. */
export const headersReader =
  (secrets: Secrets) =>
  ({ organization_id: organizationId, id: endpointId, sealed_headers: sealed }: Sealed): CustomHeaders =>
    sealed === null ? {} : unsealHeaders(secrets, sealed, { organizationId, endpointId })
