import * as client from 'openid-client'
import { guardedFetch } from '../../base/outbound/guarded-fetch.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { hourMs } from '../../base/time.ts'
import { stepUpMs } from './rules.ts'

export type OidcSettings = Readonly<{
  issuer: string
  clientId: string
  clientSecret: string
  /** What people call it. */
  name: string
}>

/** Who someone is to the identity provider. */
export type Identity = {
  issuer: string
  subject: string
  /** Undefined unless the provider says that it is theirs. */
  verifiedEmail: string | undefined
  /** When they proved who they are there; undefined when the provider does not say. */
  authenticatedAt: string | undefined
}

type OidcFlow = {
  state: string
  nonce: string
  verifier: string
  organization?: string
  isFresh: boolean
  endsAt: string
}

const sealedFor = ['console', 'oidc']
const flowMs = 600_000
const rediscoverMs = hourMs
const timeoutSeconds = 10

/** What the provider did not do as it should, or said no to. `reason` is what the page for signing in is told. */
export class OidcFailure extends Error {
  override readonly name = 'OidcFailure'
  readonly reason: 'expired' | 'refused' | 'unavailable'
  constructor(reason: OidcFailure['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** Signing in at an identity provider: OpenID Connect with the authorization code flow and PKCE (RFC 7636). */
export function openOidc(settings: OidcSettings, secrets: Secrets, redirectUri: string) {
  let discovered: { at: number; configuration: Promise<client.Configuration> } | undefined

  function configuration(nowMs: number): Promise<client.Configuration> {
    if (discovered && nowMs - discovered.at < rediscoverMs) return discovered.configuration
    const found = discoverIssuer(settings)
    discovered = { at: nowMs, configuration: found }
    found.catch(() => {
      discovered = undefined
    })
    return found
  }

  /** Where to send the browser, and what its cookie keeps for the way back: sealed, and good for ten minutes. */
  async function begin(asked: { organization?: string | undefined; isFresh: boolean; now: string }) {
    const provider = await configuration(Date.parse(asked.now)).catch((error: unknown) => {
      throw new OidcFailure('unavailable', 'The identity provider cannot be reached', error)
    })
    const flow: OidcFlow = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      ...(asked.organization !== undefined && { organization: asked.organization }),
      isFresh: asked.isFresh,
      endsAt: new Date(Date.parse(asked.now) + flowMs).toISOString(),
    }
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      ...(flow.isFresh && { prompt: 'login', max_age: '0' }),
    })
    return { url: url.href, sealedFlow: secrets.seal(JSON.stringify(flow), sealedFor).toString('base64url') }
  }

  /** Exchanges the code and verifies what comes: issuer, audience, nonce, state, signature, and that it is fresh. */
  async function finish(asked: { sealedFlow: string | undefined; query: string; now: string }) {
    const flow = readFlow(secrets, asked.sealedFlow, asked.now)
    try {
      const provider = await configuration(Date.parse(asked.now))
      const tokens = await client.authorizationCodeGrant(provider, new URL(`${redirectUri}?${asked.query}`), {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.verifier,
        idTokenExpected: true,
        ...(flow.isFresh && { maxAge: stepUpMs / 1_000 }),
      })
      const claims = tokens.claims()
      if (!claims) throw new OidcFailure('refused', 'The identity provider sent no ID token')
      const person = await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
      return { flow, identity: identityOf(claims, { ...claims, ...person }) }
    } catch (error) {
      throw failureOf(error)
    }
  }

  return { name: settings.name, begin, finish }
}

/** Reads the provider's metadata. Rejects when it cannot be reached, or is not the configured issuer. */
export async function discoverIssuer({ issuer, clientId, clientSecret }: OidcSettings): Promise<client.Configuration> {
  const url = new URL(issuer)
  // The settings admit http for loopback addresses only, where a laboratory has its provider.
  const isInsecure = url.protocol === 'http:'
  const guarded = guardedFetch({ trustedOrigin: url.origin })
  return client.discovery(url, clientId, clientSecret, undefined, {
    timeout: timeoutSeconds,
    [client.customFetch]: (target, options) => guarded(target, options as Parameters<typeof guarded>[1]),
    execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
  })
}

function readFlow(secrets: Secrets, sealed: string | undefined, now: string): OidcFlow {
  if (sealed === undefined) throw new OidcFailure('expired', 'The browser has not begun to sign in')
  let flow: OidcFlow
  try {
    flow = JSON.parse(secrets.unseal(Buffer.from(sealed, 'base64url'), sealedFor).toString('utf8'))
  } catch (error) {
    throw new OidcFailure('expired', 'The cookie is not ours', error)
  }
  if (Date.parse(flow.endsAt) <= Date.parse(now)) throw new OidcFailure('expired', 'It took too long')
  return flow
}

type Claims = Readonly<Record<string, unknown>>

function identityOf({ iss, sub, auth_time: authTime }: client.IDToken, claims: Claims): Identity {
  // OpenID Connect Core §2; what is stored and searched for is text without surprises.
  if (!/^[\x20-\x7e]{1,255}$/.test(sub)) throw new OidcFailure('refused', 'The subject is not valid')
  const { email } = claims
  const isVerified = claims['email_verified'] === true && typeof email === 'string' && isPlainEmail(email)
  return {
    issuer: iss,
    subject: sub,
    verifiedEmail: isVerified ? email : undefined,
    authenticatedAt: typeof authTime === 'number' ? new Date(authTime * 1_000).toISOString() : undefined,
  }
}

const isPlainEmail = (text: string): boolean => text.length <= 254 && /^[^\p{C}\s]+$/u.test(text)

function failureOf(error: unknown): OidcFailure {
  if (error instanceof OidcFailure) return error
  const isNetwork = error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')
  return isNetwork
    ? new OidcFailure('unavailable', 'The identity provider cannot be reached', error)
    : new OidcFailure('refused', 'The identity provider’s answer is not valid', error)
}
