import * as client from 'openid-client'
import type { GuardedFetch } from '../outbound/guarded-fetch.ts'
import { hourMs } from '../time.ts'
import { failureOf, OidcFailure } from './oidc-failure.ts'

/** What a provider knows Muster by. */
export type Registration = Readonly<{ issuer: string; clientId: string; clientSecret: string }>
export type Provider = client.Configuration
/** What one authorization request is bound to; its answer has to fit all of it. */
export type Leg = { state: string; nonce: string; verifier: string }
export type Claims = Readonly<Record<string, unknown>>

const rediscoverMs = hourMs
const timeoutSeconds = 10

export const newLeg = (): Leg => ({
  state: client.randomState(),
  nonce: client.randomNonce(),
  verifier: client.randomPKCECodeVerifier(),
})

/**
 * Reads the provider's metadata (OpenID Connect Discovery 1.0). Rejects when it cannot be reached, or is not that issuer.
 * Plain http is for an issuer on this machine only, which callers see to.
 */
export function discoverProvider(registration: Registration, guarded: GuardedFetch): Promise<Provider> {
  const { issuer, clientId, clientSecret } = registration
  const url = new URL(issuer)
  return client.discovery(url, clientId, clientSecret, undefined, {
    timeout: timeoutSeconds,
    [client.customFetch]: (target, options) => guarded(target, options as Parameters<GuardedFetch>[1]),
    execute: [client.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : [])],
  })
}

/** Providers with their metadata and keys: read again after an hour, and when the last reading failed; so many at most. */
export function providerCache(maxProviders: number) {
  const known = new Map<string, { atMs: number; provider: Promise<Provider> }>()

  return (key: string, nowMs: number, discover: () => Promise<Provider>): Promise<Provider> => {
    const found = known.get(key)
    if (found && nowMs - found.atMs < rediscoverMs) return found.provider
    const provider = discover()
    known.delete(key)
    known.set(key, { atMs: nowMs, provider })
    const [oldest] = known.keys()
    if (known.size > maxProviders && oldest !== undefined) known.delete(oldest)
    provider.catch(() => {
      if (known.get(key)?.provider === provider) known.delete(key)
    })
    return provider
  }
}

/** A provider that is known already, to send browsers to without asking it for its metadata. */
export function providerAt(issuer: string, authorizationEndpoint: string, clientId: string): Provider {
  const provider = new client.Configuration({ issuer, authorization_endpoint: authorizationEndpoint }, clientId)
  if (issuer.startsWith('http:')) client.allowInsecureRequests(provider)
  return provider
}

/** Where to send the browser: the authorization code flow with PKCE (RFC 7636) by S256. */
export async function authorizationUrl(
  provider: Provider,
  { redirectUri, leg }: { redirectUri: string; leg: Leg },
  more: Record<string, string> = {},
): Promise<string> {
  const url = client.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: leg.state,
    nonce: leg.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(leg.verifier),
    code_challenge_method: 'S256',
    ...more,
  })
  return url.href
}

/**
 * Exchanges the code and verifies what comes: state, issuer (RFC 9207 too), audience, authorized party, nonce, signature,
 * lifetime, and with `maxAge`, in seconds, that the person has proved themselves since then. Fails with an OidcFailure.
 */
export async function exchangeCode(
  provider: Provider,
  back: URL,
  { leg, maxAge }: { leg: Leg; maxAge?: number | undefined },
) {
  try {
    const tokens = await client.authorizationCodeGrant(provider, back, {
      expectedState: leg.state,
      expectedNonce: leg.nonce,
      pkceCodeVerifier: leg.verifier,
      idTokenExpected: true,
      ...(maxAge !== undefined && { maxAge }),
    })
    const claims = tokens.claims()
    if (!claims) throw new OidcFailure('refused', 'The identity provider sent no ID token')
    const { azp, sub } = claims
    if (azp !== undefined && azp !== provider.clientMetadata().client_id) {
      throw new OidcFailure('refused', 'The ID token was made for another party')
    }
    if (!isPlainSubject(sub)) throw new OidcFailure('refused', 'The subject is not valid')
    return { claims, accessToken: tokens.access_token }
  } catch (error) {
    throw failureOf(error)
  }
}

/** What the provider says of the person beside its ID token, which has to be about the same one. */
export async function readUserInfo(provider: Provider, accessToken: string, subject: string): Promise<Claims> {
  try {
    return await client.fetchUserInfo(provider, accessToken, subject)
  } catch (error) {
    throw failureOf(error)
  }
}

/** OpenID Connect Core §2; what is stored and searched for is text without surprises. */
export const isPlainSubject = (text: unknown): text is string =>
  typeof text === 'string' && /^[\x20-\x7e]{1,255}$/.test(text)

/** An address without spaces and invisible characters, as it may be stored and shown. */
export const isPlainEmail = (text: unknown): text is string =>
  typeof text === 'string' && text.length <= 254 && /^[^\p{C}\s]+$/u.test(text)
