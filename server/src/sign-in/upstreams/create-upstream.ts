import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import type { UpstreamMetadata } from './read-metadata.ts'
import { requireSignOut, type UpstreamOptions, wantedOptions } from './upstream-options.ts'
import { type Upstream, upstreamSecretPlace } from './upstream-queries.ts'

export type NewUpstream = UpstreamOptions & {
  provider: Upstream['provider']
  clientId: string
  clientSecret: string
}

const maxUpstreams = 50

/** Adds an upstream whose metadata was read just now. Returns its identifier. Fails with invalid, by field. */
export async function createUpstream(
  tx: Tx,
  secrets: Secrets,
  { metadata, ...asked }: NewUpstream & { metadata: UpstreamMetadata },
  context: ChangeContext,
): Promise<{ id: string }> {
  const { organizationId: organization_id, now } = context
  const options = wantedOptions(asked.provider, asked)
  requireSignOut(options.signs_out, metadata.endSessionEndpoint)
  await refuseTooMany(tx, organization_id)
  const key = { organization_id, issuer: metadata.issuer, client_id: asked.clientId }
  const { id } = await tx
    .insertInto('signin_upstreams')
    .values({
      ...{ ...key, ...options, provider: asked.provider },
      sealed_client_secret: secrets.seal(asked.clientSecret, upstreamSecretPlace(key)),
      authorization_endpoint: metadata.authorizationEndpoint,
      end_session_endpoint: metadata.endSessionEndpoint,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const description = `Added the upstream identity provider "${options.name}", ${metadata.issuer}.`
  await recordAudit(tx, { action: 'signin_upstream.created', about: {}, description }, context)
  return { id }
}

async function refuseTooMany(tx: Tx, organizationId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('signin_upstreams')
    .select((build) => build.fn.countAll<string>().as('count'))
    .where(inOrganization('signin_upstreams', organizationId))
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxUpstreams) {
    fail('invalid', { message: `An organization can have ${maxUpstreams} upstreams. Delete one first.` })
  }
}
