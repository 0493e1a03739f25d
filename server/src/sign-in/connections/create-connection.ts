import { randomBytes } from 'node:crypto'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { secretPlace } from './connection-queries.ts'
import { faultsOfAddresses, type RequestKey } from './connection-rules.ts'

export type ConnectionOptions = {
  name: string
  redirectUris: string[]
  /** Public keys that sign its requests (RFC 9101). Without them a request only hints who the person is. */
  requestKeys?: RequestKey[] | null
  startUrl?: string | null
  /** The caller has signed the person in before it asks: its hint lets in a device that is registered to them. */
  isHintTrusted?: boolean
  /** Policies allow the page to ask the agent, so that the browser does not ask first. */
  isBrowserManaged?: boolean
  /** How long the caller waits for an answer, in seconds: 60 to 1,800, else 600. */
  waitSeconds?: number
  /** Who says who the person is, in place of the caller. */
  upstreamId?: string | null
}

export type ConnectionMode = 'enforce' | 'observe' | 'disabled'
export type NewConnection = ConnectionOptions & { isPublic?: boolean; mode?: ConnectionMode }

const maxConnections = 200

/** A client secret: 256 bits. */
export const newClientSecret = (): string => randomBytes(32).toString('base64url')

export const newClientId = (): string => `muster-${randomBytes(12).toString('hex')}`

/**
 * Adds a connection, which enforces unless another mode is given. Returns its client identifier and secret; the secret is not shown again. Fails with
 * invalid for an address that is neither https nor of this machine.
 */
export async function createConnection(
  tx: Tx,
  secrets: Secrets,
  { name, isPublic = false, mode = 'enforce', ...options }: NewConnection,
  context: ChangeContext,
): Promise<{ id: string; clientId: string; clientSecret: string | undefined }> {
  const { organizationId, now } = context
  const errors = faultsOfAddresses(options)
  if (errors.length > 0) fail('invalid', { errors })
  await refuseTooMany(tx, organizationId)
  await requireUpstream(tx, organizationId, options.upstreamId)
  const clientId = newClientId()
  const clientSecret = isPublic ? undefined : newClientSecret()
  const sealed = clientSecret === undefined ? null : secrets.seal(clientSecret, secretPlace(organizationId, clientId))
  const keys = options.requestKeys ?? null
  const { id } = await tx
    .insertInto('signin_connections')
    .values({
      organization_id: organizationId,
      name,
      mode,
      client_id: clientId,
      sealed_client_secret: sealed,
      redirect_uris: options.redirectUris,
      request_keys: keys && JSON.stringify(keys),
      start_url: options.startUrl ?? null,
      is_hint_trusted: options.isHintTrusted ?? false,
      is_browser_managed: options.isBrowserManaged ?? false,
      wait_seconds: options.waitSeconds ?? 600,
      upstream_id: options.upstreamId ?? null,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const how = keys === null ? 'whose requests are not signed' : 'whose requests are signed'
  const description = `Added the sign-in connection "${name}", ${how}.`
  await recordAudit(tx, { action: 'signin_connection.created', about: {}, description }, context)
  return { id, clientId, clientSecret }
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
