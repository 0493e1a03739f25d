import { sql } from 'kysely'
import type { Db } from '../../../base/db/transact.ts'
import type { WorkKey } from '../../../base/jobs/leases.ts'
import type { Secrets } from '../../../base/secrets/secrets.ts'
import { type CustomHeaders, unsealHeaders, unsealSecret } from '../endpoint-secret.ts'
import { type SigningKeys, signingKeysOf } from '../sign-delivery.ts'

/** Where and how an endpoint is reached. */
export type Destination = {
  url: string
  identifier: string
  keys: SigningKeys
  previousKeys: SigningKeys | undefined
  /** Until when the previous secret signs as well. */
  previousUntilMs: number
  custom: CustomHeaders
  updatedAt: string
}

export type EndpointRow = WorkKey & {
  url: string
  identifier: string
  sealedSecret: Buffer
  sealedPrevious: Buffer | null
  previousUntil: string | null
  sealedHeaders: Buffer | null
  updatedAt: string
}

/** Those of the endpoints that are delivered to. */
export async function listEndpoints(db: Db, keys: readonly WorkKey[]): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    select endpoint.organization_id as "organizationId", endpoint.id, endpoint.url, endpoint.identifier,
      endpoint.sealed_secret as "sealedSecret", endpoint.sealed_previous_secret as "sealedPrevious",
      endpoint.previous_secret_until as "previousUntil", endpoint.sealed_headers as "sealedHeaders",
      endpoint.updated_at as "updatedAt"
    from unnest(
      ${keys.map(({ organizationId }) => organizationId)}::bigint[], ${keys.map(({ id }) => id)}::bigint[]
    ) as asked (organization_id, id)
    join webhook_endpoints as endpoint using (organization_id, id)
    where endpoint.disabled_at is null and endpoint.deleted_at is null
  `.execute(db)
  return rows
}

export function destinationOf(secrets: Secrets, row: EndpointRow): Destination {
  const { url, identifier, updatedAt, sealedPrevious, sealedHeaders } = row
  const place = { organizationId: row.organizationId, endpointId: row.id }
  return {
    ...{ url, identifier, updatedAt },
    keys: signingKeysOf(unsealSecret(secrets, row.sealedSecret, place)),
    previousKeys: sealedPrevious ? signingKeysOf(unsealSecret(secrets, sealedPrevious, place)) : undefined,
    previousUntilMs: row.previousUntil === null ? 0 : Date.parse(row.previousUntil),
    custom: sealedHeaders ? unsealHeaders(secrets, sealedHeaders, place) : {},
  }
}
