import { randomBytes } from 'node:crypto'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { requireGroups } from './connection-groups.ts'
import { secretPlace } from './connection-queries.ts'
import { faultsOfAddresses, faultsOfPerson, faultsOfPkce } from './connection-rules.ts'
import { algorithmOfKeys, type RequestKey } from './read-request-keys.ts'

export type ConnectionOptions = {
  name: string
  redirectUris: string[]
  /** Public keys of one algorithm that sign its requests (RFC 9101). A second step needs them. */
  requestKeys?: RequestKey[] | null
  /** Where the caller publishes them, and they are read again. */
  requestKeysUrl?: string | null
  /** Where it leads people back to when it signs them out (OpenID Connect RP-Initiated Logout 1.0). */
  postLogoutRedirectUris?: string[]
  /** Whether each request has to come with PKCE; else it needs a nonce. */
  requiresPkce?: boolean
  startUrl?: string | null
  /** Policies allow the page to ask the agent, so that the browser does not ask first. */
  isBrowserManaged?: boolean
  /** How long the caller waits for an answer, in seconds: 60 to 1,800, else 600. */
  waitSeconds?: number
  /** The upstream that signs the people of an application in. */
  upstreamId?: string | null
  /** The person groups that are shared with an application. */
  groupIds?: readonly string[]
}

export type ConnectionMode = 'enforce' | 'observe' | 'disabled'
/** A caller that has signed the person in before it asks, or an application whose people an upstream signs in. */
export type ClientKind = 'second_step' | 'application'
export type NewConnection = ConnectionOptions & { kind: ClientKind; isPublic?: boolean; mode?: ConnectionMode }

const maxConnections = 200

/** A client secret: 256 bits. */
export const newClientSecret = (): string => randomBytes(32).toString('base64url')

export const newClientId = (): string => `muster-${randomBytes(12).toString('hex')}`

/**
 * Adds a connection, which observes unless another mode is given: who would be refused is known before anyone is. Returns its
 * client identifier and secret; the secret is not shown again. Fails with invalid for an address that is neither https nor of this
 * machine.
 */
export async function createConnection(
  tx: Tx,
  secrets: Secrets,
  { kind, name, isPublic = false, mode = 'observe', ...options }: NewConnection,
  context: ChangeContext,
): Promise<{ id: string; clientId: string; clientSecret: string | undefined }> {
  const { organizationId, now } = context
  const keys = options.requestKeys ?? null
  const { upstreamId = null, groupIds = [], requiresPkce = true, postLogoutRedirectUris = [] } = options
  const whoSays = { kind, requestKeys: keys, upstreamId, groupIds, mode }
  const errors = [
    ...faultsOfAddresses(options),
    ...faultsOfPerson(whoSays),
    ...faultsOfPkce({ kind, isPublic, requiresPkce }),
  ]
  if (errors.length > 0) fail('invalid', { errors })
  await refuseTooMany(tx, organizationId)
  await requireUpstream(tx, organizationId, upstreamId)
  const clientId = newClientId()
  const clientSecret = isPublic ? undefined : newClientSecret()
  const sealed = clientSecret === undefined ? null : secrets.seal(clientSecret, secretPlace(organizationId, clientId))
  const { id } = await tx
    .insertInto('signin_connections')
    .values({
      organization_id: organizationId,
      kind,
      name,
      mode,
      client_id: clientId,
      sealed_client_secret: sealed,
      redirect_uris: options.redirectUris,
      post_logout_redirect_uris: postLogoutRedirectUris,
      requires_pkce: requiresPkce,
      request_keys: keys && JSON.stringify(keys),
      request_algorithm: keys && algorithmOfKeys(keys),
      request_keys_url: options.requestKeysUrl ?? null,
      start_url: options.startUrl ?? null,
      is_browser_managed: options.isBrowserManaged ?? false,
      wait_seconds: options.waitSeconds ?? 600,
      upstream_id: upstreamId,
      group_ids: await requireGroups(tx, organizationId, groupIds),
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const without = requiresPkce ? '' : ' It does without PKCE.'
  const description = `Added the sign-in connection "${name}", ${kindWords[kind]}. It ${modeWords[mode]}.${without}`
  await recordAudit(tx, { action: 'signin_connection.created', about: {}, description }, context)
  return { id, clientId, clientSecret }
}

/** What a connection does with devices. */
export const modeWords: Readonly<Record<ConnectionMode, string>> = {
  enforce: 'enforces',
  observe: 'observes',
  disabled: 'is disabled',
}

const kindWords: Readonly<Record<ClientKind, string>> = {
  second_step: 'which signs its people in before it asks',
  application: 'whose people an upstream signs in',
}

/** Fails with invalid where the organization has no such upstream. */
export async function requireUpstream(tx: Tx, organizationId: string, id: string | null | undefined): Promise<void> {
  if (id === undefined || id === null) return
  const row = await tx
    .selectFrom('signin_upstreams')
    .select('id')
    .where(inOrganization('signin_upstreams', organizationId))
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) fail('invalid', { errors: [{ field: 'upstream_id', message: 'must be an upstream of the organization' }] })
}

/** Fails with invalid where an organization has as many connections as it may. */
export async function refuseTooMany(tx: Tx, organizationId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('signin_connections')
    .select((build) => build.fn.countAll<string>().as('count'))
    .where(inOrganization('signin_connections', organizationId))
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxConnections) {
    fail('invalid', { message: `An organization can have ${maxConnections} sign-in connections. Delete one first.` })
  }
}
