import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import type { UpstreamMetadata } from './read-metadata.ts'
import { requireSignOut, type UpstreamOptions, wantedOptions } from './upstream-options.ts'
import { upstreamSecretPlace } from './upstream-queries.ts'

const audited = ['name', 'tenant_claim', 'tenant_value', 'email_domains', 'creates_people', 'signs_out'] as const

/**
 * Changes whom an upstream may vouch for, from the next answer on. Returns whether anything is another. Fails with not_found,
 * and with invalid by field.
 */
export async function changeUpstream(
  tx: Tx,
  { id, ...change }: Partial<UpstreamOptions> & { id: string },
  context: ChangeContext,
): Promise<boolean> {
  const before = await lockUpstream(tx, context.organizationId, id)
  const { tenant_claim: claim, tenant_value: value } = before
  const kept = claim === null || value === null ? null : { claim, value }
  requireSignOut(change.signsOut, before.end_session_endpoint)
  const after = wantedOptions(before.provider, {
    name: change.name ?? before.name,
    tenant: change.tenant === undefined ? kept : change.tenant,
    emailDomains: change.emailDomains ?? before.email_domains,
    createsPeople: change.createsPeople ?? before.creates_people,
    signsOut: change.signsOut ?? before.signs_out,
  })
  const changes = changesBetween(before, after, audited)
  if (changes.length === 0) return false
  await tx
    .updateTable('signin_upstreams')
    .set(after)
    .where(inOrganization('signin_upstreams', context.organizationId))
    .where('id', '=', id)
    .execute()
  const description = `Changed the upstream identity provider "${before.name}".`
  await recordAudit(tx, { action: 'signin_upstream.changed', about: {}, description, changes }, context)
  return true
}

/** Replaces the client secret that Muster proves itself with upstream. Fails with not_found. */
export async function replaceUpstreamSecret(
  tx: Tx,
  secrets: Secrets,
  { id, clientSecret }: { id: string; clientSecret: string },
  context: ChangeContext,
): Promise<void> {
  const upstream = await lockUpstream(tx, context.organizationId, id)
  await tx
    .updateTable('signin_upstreams')
    .set({ sealed_client_secret: secrets.seal(clientSecret, upstreamSecretPlace(upstream)) })
    .where(inOrganization('signin_upstreams', context.organizationId))
    .where('id', '=', id)
    .execute()
  const description = `Replaced the client secret of the upstream identity provider "${upstream.name}".`
  await recordAudit(tx, { action: 'signin_upstream.secret_replaced', about: {}, description }, context)
}

/** Deletes an upstream. Fails with not_found, and with invalid while a connection uses it. */
export async function deleteUpstream(tx: Tx, { id }: { id: string }, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { name } = await lockUpstream(tx, organizationId, id)
  const user = await tx
    .selectFrom('signin_connections')
    .select('name')
    .where(inOrganization('signin_connections', organizationId))
    .where('upstream_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (user) fail('invalid', { message: `People still sign in to "${user.name}" through it.` })
  await tx
    .deleteFrom('signin_upstreams')
    .where(inOrganization('signin_upstreams', organizationId))
    .where('id', '=', id)
    .execute()
  const description = `Deleted the upstream identity provider "${name}".`
  await recordAudit(tx, { action: 'signin_upstream.deleted', about: {}, description }, context)
}

/** Keeps what its metadata says now. Nothing anyone has decided changes, so no entry is written. */
export async function noteMetadata(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  { authorizationEndpoint, endSessionEndpoint }: UpstreamMetadata,
): Promise<void> {
  await tx
    .updateTable('signin_upstreams')
    .set({ authorization_endpoint: authorizationEndpoint, end_session_endpoint: endSessionEndpoint })
    .where(inOrganization('signin_upstreams', organizationId))
    .where('id', '=', id)
    .execute()
}

async function lockUpstream(tx: Tx, organizationId: string, id: string) {
  if (!/^\d{1,18}$/.test(id)) return fail('not_found')
  return orNotFound(
    await tx
      .selectFrom('signin_upstreams')
      .selectAll()
      .where(inOrganization('signin_upstreams', organizationId))
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst(),
  )
}
