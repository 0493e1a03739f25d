import { createPrivateKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider'
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
import { acrValues, type OutcomeClaims } from './claims-rules.ts'
import { markOfRequest } from './mark-of-request.ts'
import { providerAdapter, ReplayedRequest } from './provider-adapter.ts'
import { currentCall, NotAnswered } from './provider-call.ts'
import { lifeSeconds } from './records.ts'
import { faultOfTimes } from './request-rules.ts'

export type ProviderParts = {
  db: Db
  secrets: Secrets
  clock: Clock
}

/** Those beside `openid` are of applications whose people an upstream signs in. */
const scopes = ['openid', 'email', 'profile'] as const

/** A provider of one organization, with its keys and connections as they were when it was made. */
export type OpenProvider = {
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** The kind of each client that may ask. */
  kinds: ReadonlyMap<string, SignInConnection['kind']>
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

/** Makes the provider (OpenID Connect Core 1.0): code with PKCE only, and a device check at every request. */
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
  const provider = new Provider(`${baseUrl}${issuerPath}`, {
    ...fixed(baseUrl, clock),
    adapter: (kind: string) => providerAdapter({ ...parts, organizationId }, kind),
    clients: open.map((one) => clientOf(secrets, one)),
    jwks: { keys: jwks } as NonNullable<Configuration['jwks']>,
  })
  provideAddress(provider, new URL(baseUrl))
  provider.on('server_error', (_context, error) => {
    if (!(error instanceof NotAnswered) || error.cause !== undefined) currentCall().warn(error.cause ?? error)
  })
  provider.on('authorization.error', ({ oidc }, error) => {
    const isCounted = error instanceof ReplayedRequest || error instanceof NotAnswered
    if (oidc.route === 'authorization' && !isCounted) currentCall().refused('refused')
  })
  const serve = provider.callback()
  const kids = keys.map(({ kid }) => kid)
  return {
    serve,
    kinds: new Map(open.map((one) => [one.client_id, one.kind])),
    marks: new Map(open.map((one) => [one.client_id, markOf(kids, one)])),
    fingerprint,
  }
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
    response_modes: ['query' as const, 'form_post' as const],
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

/**
 * A device check at every request. What the library would judge at the end of a sign-in by sending the person through it once
 * more, such as an `acr` that is missing, is judged by the route that ends it.
 */
function checkDeviceEachTime() {
  const { base, Check, Prompt } = interactionPolicy
  const policy = base()
  policy.remove('consent')
  const login = policy.get('login')
  const judgedAtTheEnd = ['max_age', 'id_token_hint', 'claims_id_token_sub_value', 'essential_acrs', 'essential_acr']
  for (const name of judgedAtTheEnd) login?.checks.remove(name)
  login?.checks.add(
    new Check('device', 'the device has to prove itself', 'interaction_required', (context) => {
      return context.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
    }),
    0,
  )
  // What an upstream is asked for; the answer of a sign-in resolves them.
  for (const name of ['select_account', 'consent']) policy.add(new Prompt({ name, requestable: true }))
  return policy
}

function fixed(baseUrl: string, clock: Clock): Configuration {
  return {
    routes: { authorization: '/auth', jwks: '/jwks', token: '/token', userinfo: '/me' },
    responseTypes: ['code'],
    scopes: [...scopes],
    claims: {
      openid: ['sub', 'acr', 'amr', 'device_context', 'upstream_acr'],
      email: ['email'],
      profile: ['name', 'preferred_username'],
    },
    conformIdTokenClaims: false,
    discovery: { end_session_endpoint: `${baseUrl}${issuerPath}/session/end` },
    acrValues: [...acrValues],
    // No assertions: nothing remembers which were used.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clockTolerance: 0,
    clientBasedCORS: () => false,
    // There is no session for a code to end with.
    expiresWithSession: () => false,
    pkce: { required: () => true },
    // None reaches a browser: the routes drop them, and hand in this one, whose value is the address.
    cookies: { names: { resume: resumeCookie } },
    features: {
      claimsParameter: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      requestObjects: { enabled: true, assertJwtClaimsAndHeader: judgeRequest(clock) },
      userinfo: { enabled: true },
    },
    interactions: {
      policy: checkDeviceEachTime(),
      url: () => currentCall().destination ?? Promise.reject(new Error('No sign-in has begun')),
    },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: (use) => ({ sub, ...(use === 'id_token' && (currentCall().granted?.['outcome'] as OutcomeClaims)) }),
    }),
    loadExistingGrant: ({ oidc }) => {
      const { client, result } = oidc
      const { over } = currentCall()
      if (!client || !result?.login || !over) return undefined
      // The library keeps an identifier that is there, and names it in the code and the token.
      const grant = new oidc.provider.Grant({ accountId: result.login.accountId, clientId: client.clientId })
      grant.addOIDCScope(over.isOfUpstream ? scopes.join(' ') : 'openid')
      return Object.assign(grant, { jti: over.sessionId })
    },
    ttl: { Session: 60, Interaction: 3_600, ...lifeSeconds, IdToken: 300, Grant: 600 },
    renderError: async (context, out, error) => {
      const { error: name, error_description: description = '' } = out
      const failure = error instanceof NotAnswered ? error.failure : { error: name, description }
      const { status, headers, body } = await currentCall().draw(failure)
      context.status = status
      context.set(headers)
      context.body = body
    },
  }
}

export const resumeCookie = 'resume'

/** Judges the times of a signed request. Its signature is verified after that, so that nothing is written here. */
function judgeRequest(clock: Clock) {
  return ({ oidc }: KoaContextWithOIDC, claims: Readonly<Record<string, unknown>>): void => {
    const fault = faultOfTimes(claims, Date.parse(clock()))
    if (fault !== undefined) throw new errors.InvalidRequestObject(fault)
    currentCall().mark = markOfRequest(claims, String(oidc.params?.['request']))
  }
}
