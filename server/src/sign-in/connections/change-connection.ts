import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { describeGroups, requireGroups } from './connection-groups.ts'
import { secretPlace } from './connection-queries.ts'
import { faultsOfAddresses, faultsOfPerson, faultsOfPkce } from './connection-rules.ts'
import { modeWords, newClientSecret, requireUpstream } from './create-connection.ts'
import { type ConnectionChange, entraAfter, faultsOfKind } from './entra-change.ts'
import { forgetRefusal } from './note-refusal.ts'
import { algorithmOfKeys } from './read-request-keys.ts'

const audited = [
  ...(['name', 'mode', 'redirect_uris', 'request_keys', 'request_keys_url', 'start_url'] as const),
  ...(['is_browser_managed', 'wait_seconds', 'upstream_id', 'groups'] as const),
  ...(['post_logout_redirect_uris', 'requires_pkce'] as const),
  ...(['entra_cloud', 'entra_tenant_ids', 'entra_app_id'] as const),
] as const

/** What requests are judged by: what was refused by other settings says nothing of these. */
const judged: ReadonlySet<string> = new Set([
  ...['redirect_uris', 'post_logout_redirect_uris', 'requires_pkce', 'request_keys', 'request_keys_url'],
  ...['entra_cloud', 'entra_tenant_ids', 'entra_app_id'],
])

/**
 * Changes a connection, at once for every process. Returns whether anything is another. Fails with not_found, and with invalid for
 * what its kind does not have.
 */
export async function changeConnection(
  tx: Tx,
  { id, ...change }: ConnectionChange & { id: string },
  context: ChangeContext,
): Promise<boolean> {
  const before = await lockConnection(tx, context.organizationId, id)
  await requireUpstream(tx, context.organizationId, change.upstreamId)
  const after = {
    name: change.name ?? before.name,
    mode: change.mode ?? before.mode,
    redirect_uris: change.redirectUris ?? before.redirect_uris,
    post_logout_redirect_uris: change.postLogoutRedirectUris ?? before.post_logout_redirect_uris,
    requires_pkce: change.requiresPkce ?? before.requires_pkce,
    request_keys: change.requestKeys === undefined ? before.request_keys : change.requestKeys,
    request_keys_url: keysUrlAfter(before, change),
    start_url: change.startUrl === undefined ? before.start_url : change.startUrl,
    is_browser_managed: change.isBrowserManaged ?? before.is_browser_managed,
    wait_seconds: change.waitSeconds ?? before.wait_seconds,
    upstream_id: change.upstreamId === undefined ? before.upstream_id : change.upstreamId,
    group_ids: change.groupIds ? await requireGroups(tx, context.organizationId, change.groupIds) : before.group_ids,
    ...entraAfter(before, change.entra),
  }
  const { kind } = before
  const { upstream_id: upstreamId, group_ids: groupIds } = after
  const whoSays = { kind, requestKeys: after.request_keys, upstreamId, groupIds, mode: after.mode }
  const isPublic = before.sealed_client_secret === null
  const errors = [
    ...faultsOfAddresses(change),
    ...faultsOfKind(before, change),
    ...faultsOfPerson(whoSays),
    ...faultsOfPkce({ kind, isPublic, requiresPkce: after.requires_pkce }),
  ]
  if (errors.length > 0) fail('invalid', { errors })
  const groups = await describeGroups(tx, context.organizationId, [before, after])
  const [was, is] = [
    { ...before, groups: groups[0] },
    { ...after, groups: groups[1] },
  ]
  const changes = changesBetween(was, is, audited)
  if (changes.length === 0) return false
  await tx
    .updateTable('signin_connections')
    .set({
      ...after,
      request_keys: after.request_keys && JSON.stringify(after.request_keys),
      request_algorithm: after.request_keys && algorithmOfKeys(after.request_keys),
    })
    .where(inOrganization('signin_connections', context.organizationId))
    .where('id', '=', id)
    .execute()
  if (changes.some(({ field }) => judged.has(field))) await forgetRefusal(tx, context.organizationId, id)
  const isMode = changes.length === 1 && after.mode !== before.mode
  const what = isMode ? `The sign-in connection "${before.name}" ${modeWords[after.mode]} now.` : undefined
  const description = what ?? `Changed the sign-in connection "${before.name}".`
  await recordAudit(tx, { action: 'signin_connection.changed', about: {}, description, changes }, context)
  return true
}

/** Keys that are given are read nowhere. */
function keysUrlAfter(before: { request_keys_url: string | null }, change: ConnectionChange): string | null {
  if (change.requestKeysUrl !== undefined) return change.requestKeysUrl
  return change.requestKeys === undefined ? before.request_keys_url : null
}

/** Gives a connection another secret; the earlier one is refused from then on. Fails with not_found, and of a public client. */
export async function rollConnectionSecret(
  tx: Tx,
  secrets: Secrets,
  { id }: { id: string },
  context: ChangeContext,
): Promise<{ id: string; clientId: string; clientSecret: string }> {
  const { organizationId } = context
  const { name, client_id: clientId, sealed_client_secret: sealed } = await lockConnection(tx, organizationId, id)
  if (sealed === null) return fail('invalid', { message: 'A public client has no secret.' })
  const clientSecret = newClientSecret()
  await tx
    .updateTable('signin_connections')
    .set({ sealed_client_secret: secrets.seal(clientSecret, secretPlace(organizationId, clientId)) })
    .where(inOrganization('signin_connections', organizationId))
    .where('id', '=', id)
    .execute()
  await forgetRefusal(tx, organizationId, id)
  const description = `Replaced the client secret of the sign-in connection "${name}".`
  await recordAudit(tx, { action: 'signin_connection.secret_rolled', about: {}, description }, context)
  return { id, clientId, clientSecret }
}

/** Deletes a connection with the sign-ins that wait at it. Fails with not_found. */
export async function deleteConnection(tx: Tx, { id }: { id: string }, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { name } = await lockConnection(tx, organizationId, id)
  await tx
    .deleteFrom('signin_connections')
    .where(inOrganization('signin_connections', organizationId))
    .where('id', '=', id)
    .execute()
  const description = `Deleted the sign-in connection "${name}".`
  await recordAudit(tx, { action: 'signin_connection.deleted', about: {}, description }, context)
}

/** Fails with not_found. */
export async function lockConnection(tx: Tx, organizationId: string, id: string) {
  if (!/^\d{1,18}$/.test(id)) return fail('not_found')
  return orNotFound(
    await tx
      .selectFrom('signin_connections')
      .selectAll()
      .where(inOrganization('signin_connections', organizationId))
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst(),
  )
}
