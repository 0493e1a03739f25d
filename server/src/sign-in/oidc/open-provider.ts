import { createPrivateKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import type { KeyRing } from '../../keys/key-purposes.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { unsealPrivateKey } from '../../keys/seal-private-key.ts'
import { kidsOfRing, listRing } from '../../keys/signing-keys.ts'
import {
  findConnectionWith,
  listConnections,
  type SignInConnection,
  secretPlace,
} from '../connections/connection-queries.ts'
import { issuerPath } from '../connections/sign-in-address.ts'
import { providerAdapter } from './provider-adapter.ts'
import { currentCall, NotAnswered } from './provider-call.ts'
import { providerSettings, responseModes, sayWhatIsSo } from './provider-settings.ts'
import { ReplayedRequest, refusalOfError, StaleRequest } from './refusals.ts'

export type ProviderParts = {
  db: Db
  secrets: Secrets
  clock: Clock
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A provider of one organization, with its keys and connections as they were when it was made. */
export type OpenProvider = {
  /** Serves its authorization endpoint alone, where signed requests are judged. */
  take: Serve
  /** Serves everything else. */
  serve: Serve
  /** The connection of each client that may ask. */
  clients: ReadonlyMap<string, SignInConnection>
  /** What stands for each client as the provider knows it. */
  marks: ReadonlyMap<string, string>
  fingerprint: string
}

const markOf = (kids: readonly string[], connection: SignInConnection): string => JSON.stringify([kids, connection])

/** The connection of a client, and whether a provider has it and its own keys as they are now. */
export async function readClient(
  { db, clock }: ProviderParts,
  { organizationId, clientId }: { organizationId: string; clientId: string },
) {
  const ring: KeyRing = { organizationId, purpose: 'oidc' }
  const row = await findConnectionWith(db, organizationId, clientId, kidsOfRing(db, ring, clock()))
  if (!row) return undefined
  const { kids, ...connection } = row
  return { connection, isKnownTo: ({ marks }: OpenProvider) => marks.get(clientId) === markOf(kids, connection) }
}

/**
 * What a provider is made from; another one is made when it has changed. Undefined without a connection that asks it: whoever
 * asks for the keys of such an organization makes none.
 */
export async function providerSource({ db, secrets, clock }: ProviderParts, organizationId: string) {
  const connections = (await listConnections(db, organizationId)).filter(({ kind }) => kind !== 'entra')
  if (connections.length === 0) return undefined
  const ring: KeyRing = { organizationId, purpose: 'oidc' }
  let keys = await listRing(db, ring, clock())
  // What signs now is the first of them.
  if (keys[0] === undefined || keys[0].active_from > clock()) {
    await ensureSigningKey(db, secrets, ring, clock())
    keys = await listRing(db, ring, clock())
  }
  const fingerprint = JSON.stringify([keys.map(({ kid }) => kid), connections])
  return { ring, keys, connections, fingerprint }
}

type Source = NonNullable<Awaited<ReturnType<typeof providerSource>>>

/**
 * Makes the provider (OpenID Connect Core 1.0): code, with PKCE unless an administrator has lifted it, and a device check at every
 * request.
 */
export function openProvider(
  parts: ProviderParts,
  { organizationId, baseUrl }: { organizationId: string; baseUrl: string },
  { ring, keys, connections, fingerprint }: Source,
): OpenProvider {
  const { secrets, clock } = parts
  const jwks = keys.map(({ kid, sealed_private_key: sealed }) => {
    const der = unsealPrivateKey(secrets, sealed, { ...ring, kid })
    const jwk = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
    return { ...jwk, kid, use: 'sig', alg: 'RS256' }
  })
  const open = connections.filter(({ mode }) => mode !== 'disabled')
  const asked = {
    baseUrl,
    withoutPkce: new Set(open.filter((one) => !one.requires_pkce).map((one) => one.client_id)),
    isLedBack: open.some((one) => one.post_logout_redirect_uris.length > 0),
  }
  const common = {
    adapter: (kind: string) => providerAdapter({ ...parts, organizationId }, kind),
    clients: open.map((one) => clientOf(secrets, one)),
    jwks: { keys: jwks } as NonNullable<Configuration['jwks']>,
  }
  // Two, as the library judges the times of requests, codes and tokens by one tolerance.
  const [take, serve] = (['requests', 'grants'] as const).map((judged) =>
    callbackOf({ ...providerSettings(asked, clock, judged), ...common }, baseUrl),
  ) as [Serve, Serve]
  const kids = keys.map(({ kid }) => kid)
  return {
    ...{ take, serve },
    clients: new Map(open.map((one) => [one.client_id, one])),
    marks: new Map(open.map((one) => [one.client_id, markOf(kids, one)])),
    fingerprint,
  }
}

function callbackOf(settings: Configuration, baseUrl: string): Serve {
  const provider = new Provider(`${baseUrl}${issuerPath}`, settings)
  provideAddress(provider, new URL(baseUrl))
  provider.use(sayWhatIsSo)
  provider.on('server_error', (_context, error) => {
    if (!(error instanceof NotAnswered) || error.cause !== undefined) currentCall().warn(error.cause ?? error)
  })
  noteErrors(provider)
  return provider.callback()
}

/** Counts requests that begin no sign-in, and keeps why, as well as why a code brought no token. */
function noteErrors(provider: Provider): void {
  const keep = ({ oidc }: KoaContextWithOIDC, error: Error) => {
    const call = currentCall()
    const reason = refusalOfError(error, oidc.params?.['response_type'])
    if (oidc.client && reason) call.refusal = { clientId: oidc.client.clientId, reason }
  }
  provider.on('authorization.error', (context, error) => {
    if (context.oidc.route !== 'authorization' || error instanceof NotAnswered) return
    // Of one request with another fault and an address that is not registered, the library says both.
    const isCounted = error instanceof ReplayedRequest || currentCall().refusal !== undefined
    if (!isCounted)
      currentCall().refused('refused', error instanceof StaleRequest ? error.error_description : undefined)
    keep(context, error)
  })
  provider.on('grant.error', keep)
  // Before the answer is sent: whoever reads it finds the refusal at the connection.
  provider.use(async (context, next) => {
    await next()
    const call = currentCall(context)
    if (call.refusal) await call.noteRefusal(call.refusal)
  })
}

/** The provider names the configured address, whatever host a request names or a proxy has made of it. */
function provideAddress(provider: Provider, { protocol, host }: URL): void {
  Object.defineProperties(provider.request, {
    protocol: { get: () => protocol.slice(0, -1) },
    host: { get: () => host },
  })
}

/** The client of a connection. One whose requests are signed may send no others (RFC 9101). */
function clientOf(secrets: Secrets, connection: SignInConnection) {
  const { organization_id: organizationId, client_id: clientId, sealed_client_secret: sealed } = connection
  const { request_keys: keys, request_algorithm: algorithm } = connection
  return {
    client_id: clientId,
    redirect_uris: connection.redirect_uris,
    response_types: ['code' as const],
    response_modes: [...responseModes],
    grant_types: ['authorization_code'],
    id_token_signed_response_alg: 'RS256' as const,
    ...(sealed === null
      ? { token_endpoint_auth_method: 'none' as const }
      : { client_secret: secrets.unseal(sealed, secretPlace(organizationId, clientId)).toString('utf8') }),
    ...(keys !== null &&
      algorithm !== null && {
        jwks: { keys },
        require_signed_request_object: true,
        request_object_signing_alg: algorithm,
      }),
  }
}
