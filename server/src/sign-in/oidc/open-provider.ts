import { createPrivateKey } from 'node:crypto'
import { type Configuration, interactionPolicy, Provider } from 'oidc-provider'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { html } from '../../http/page/html.ts'
import { pageHeaders } from '../../http/page/page-headers.ts'
import type { KeyRing } from '../../keys/key-purposes.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { unsealPrivateKey } from '../../keys/seal-private-key.ts'
import { listRing } from '../../keys/signing-keys.ts'
import { listConnections, type SignInConnection, secretPlace } from '../connections/connection-queries.ts'
import { issuerPath } from '../connections/sign-in-address.ts'
import { acrValues, type OutcomeClaims } from './claims-rules.ts'
import { recordAdapter } from './record-adapter.ts'

export type ProviderParts = {
  db: Db
  secrets: Secrets
  clock: Clock
  /** What the sign-in of a grant ended with; undefined when its person has left since. */
  claimsOfGrant: (organizationId: string, grantId: string) => Promise<OutcomeClaims | undefined>
}

/** Those beside `openid` are of applications whose people an upstream signs in. */
export const scopes = ['openid', 'email', 'profile'] as const

/** A provider of one organization, with its keys and connections as they were when it was made. */
export type OpenProvider = { provider: Provider; fingerprint: string }

/** What a provider is made from; another one is made when it has changed. */
export async function providerSource({ db, secrets, clock }: ProviderParts, organizationId: string) {
  const ring: KeyRing = { organizationId, purpose: 'oidc' }
  let keys = await listRing(db, ring, clock())
  // What signs now is the first of them.
  if (keys[0] === undefined || keys[0].active_from > clock()) {
    await ensureSigningKey(db, secrets, ring, clock())
    keys = await listRing(db, ring, clock())
  }
  const connections = (await listConnections(db, organizationId)).filter(({ kind }) => kind === 'oidc')
  const fingerprint = JSON.stringify([keys.map(({ kid }) => kid), connections])
  return { ring, keys, connections, fingerprint }
}

type Source = Awaited<ReturnType<typeof providerSource>>

/** Makes the provider (OpenID Connect Core 1.0): code with PKCE only, and a device check at every request. */
export function openProvider(
  parts: ProviderParts,
  { organizationId, baseUrl }: { organizationId: string; baseUrl: string },
  { ring, keys, connections, fingerprint }: Source,
): OpenProvider {
  const { db, secrets, clock } = parts
  const jwks = keys.map(({ kid, sealed_private_key: sealed }) => {
    const der = unsealPrivateKey(secrets, sealed, { ...ring, kid })
    const jwk = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
    return { ...jwk, kid, use: 'sig', alg: 'RS256' }
  })
  const provider = new Provider(`${baseUrl}${issuerPath}`, {
    ...fixed(baseUrl),
    adapter: (kind: string) => recordAdapter(db, clock, organizationId, kind),
    clients: connections.filter(({ mode }) => mode !== 'disabled').map((one) => clientOf(secrets, one)),
    jwks: { keys: jwks } as NonNullable<Configuration['jwks']>,
    cookies: cookiesOf(secrets),
    findAccount: async (_context, sub, token) => {
      const grantId = token !== undefined && 'grantId' in token ? token.grantId : undefined
      const said = grantId ? await parts.claimsOfGrant(organizationId, grantId) : undefined
      // A code or token of a person who has left since is good for nothing.
      if (grantId && !said) return undefined
      return { accountId: sub, claims: async (use) => ({ sub, ...(use === 'id_token' && said) }) }
    },
  })
  // Behind a proxy: the address is the configured one, whatever the request was forwarded with.
  provider.proxy = true
  return { provider, fingerprint }
}

/** The client of a connection. One whose requests are signed may send no others (RFC 9101). */
function clientOf(secrets: Secrets, connection: SignInConnection) {
  const { organization_id: organizationId, client_id: clientId, sealed_client_secret: sealed } = connection
  const keys = connection.request_keys
  return {
    client_id: clientId,
    redirect_uris: connection.redirect_uris,
    response_types: ['code' as const],
    grant_types: ['authorization_code'],
    ...(sealed === null
      ? { token_endpoint_auth_method: 'none' as const }
      : { client_secret: secrets.unseal(sealed, secretPlace(organizationId, clientId)).toString('utf8') }),
    ...(keys !== null && { jwks: { keys }, require_signed_request_object: true }),
  }
}

function cookiesOf(secrets: Secrets): NonNullable<Configuration['cookies']> {
  const options = { httpOnly: true, sameSite: 'lax', signed: true } as const
  return {
    keys: [secrets.sign('openid cookies', 'key').toString('base64url')],
    short: { ...options, path: issuerPath },
    long: { ...options, path: issuerPath },
  }
}

function checkDeviceEachTime() {
  const { base, Check, Prompt } = interactionPolicy
  const policy = base()
  policy.remove('consent')
  policy.get('login')?.checks.add(
    new Check('device', 'the device has to prove itself', (context) => {
      return context.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
    }),
    0,
  )
  // What an upstream is asked for; the answer of a sign-in resolves them.
  for (const name of ['select_account', 'consent']) policy.add(new Prompt({ name, requestable: true }))
  return policy
}

function fixed(baseUrl: string): Configuration {
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
    // `sub`: the caller's own identifier of the person, in a signed request.
    extraParams: ['app_instance_id', 'app_name', 'sub'],
    // There is no session for a code to end with.
    expiresWithSession: () => false,
    pkce: { required: (_context, client) => client.clientAuthMethod === 'none' },
    features: {
      devInteractions: { enabled: false },
      requestObjects: { enabled: true },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: true },
    },
    interactions: {
      policy: checkDeviceEachTime(),
      url: (_context, { uid }) => `${new URL(baseUrl).pathname.replace(/\/$/, '')}${issuerPath}/interaction/${uid}`,
    },
    loadExistingGrant: async (context) => {
      const grantId = context.oidc.result?.consent?.grantId
      return grantId ? context.oidc.provider.Grant.find(grantId) : undefined
    },
    ttl: { Session: 60, Interaction: 3_600, AuthorizationCode: 60, AccessToken: 300, IdToken: 300, Grant: 600 },
    renderError: (context, out) => {
      context.type = 'html'
      context.set({ ...pageHeaders(), 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      const what = `${out.error}: ${out.error_description ?? ''}`
      context.body =
        html`<!doctype html><html lang="en"><title>This sign-in cannot start</title><h1>This sign-in cannot start</h1><p>${what}</p><p>Open the application again. If that brings you back here, ask IT.</p></html>`.html
    },
  }
}
