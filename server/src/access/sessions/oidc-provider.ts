import { guardedFetch } from '../../base/outbound/guarded-fetch.ts'
import { failureOf, OidcFailure } from '../../base/relying-party/oidc-failure.ts'
import {
  authorizationUrl,
  discoverProvider,
  exchangeCode,
  type Leg,
  newLeg,
  type Provider,
  providerCache,
  type Registration,
  readUserInfo,
} from '../../base/relying-party/relying-party.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { isGoodNow } from '../../base/time.ts'
import { stepUpMs } from './rules.ts'
import { readEmail } from './verified-email.ts'

/** With what people call it. */
export type OidcSettings = Registration & Readonly<{ name: string }>

/** Who someone is to the identity provider. */
export type Identity = {
  issuer: string
  subject: string
  /** Undefined unless the provider says that it is theirs. */
  verifiedEmail: string | undefined
  /** It names an address, and does not say that. */
  isUnverified: boolean
  /** When they proved who they are there; undefined when the provider does not say. */
  authenticatedAt: string | undefined
}

type OidcFlow = Leg & { organization?: string; isFresh: boolean; endsAt: string }

const sealedFor = ['console', 'oidc']
const flowMs = 600_000

/** Signing in at an identity provider: OpenID Connect with the authorization code flow and PKCE (RFC 7636). */
export function openOidc(settings: OidcSettings, secrets: Secrets, redirectUri: string, call = callIssuer(settings)) {
  const cached = providerCache(1)
  const providerAt = (now: string) => cached(settings.issuer, Date.parse(now), () => discoverProvider(settings, call))

  /** Where to send the browser, and what its cookie keeps for the way back: sealed, and good for ten minutes. */
  async function begin(asked: { organization?: string | undefined; isFresh: boolean; now: string }) {
    const provider = await providerAt(asked.now).catch((error: unknown) => {
      throw new OidcFailure('unavailable', 'The identity provider cannot be reached', error)
    })
    const flow: OidcFlow = {
      ...newLeg(),
      ...(asked.organization !== undefined && { organization: asked.organization }),
      isFresh: asked.isFresh,
      endsAt: new Date(Date.parse(asked.now) + flowMs).toISOString(),
    }
    const more = flow.isFresh ? { prompt: 'login', max_age: '0' } : {}
    const url = await authorizationUrl(provider, { redirectUri, leg: flow }, more)
    return { url, sealedFlow: secrets.seal(JSON.stringify(flow), sealedFor).toString('base64url') }
  }

  /** Exchanges the code and verifies what comes: issuer, audience, nonce, state, signature, and that it is fresh. */
  async function finish(asked: { sealedFlow: string | undefined; query: string; now: string }) {
    const flow = readFlow(secrets, asked.sealedFlow, asked.now)
    const provider = await providerAt(asked.now).catch((error: unknown) => {
      throw failureOf(error)
    })
    const back = new URL(`${redirectUri}?${asked.query}`)
    const maxAge = flow.isFresh ? stepUpMs / 1_000 : undefined
    const { claims, accessToken } = await exchangeCode(provider, back, { leg: flow, maxAge })
    const beside = await readUserInfo(provider, accessToken, claims.sub)
    return { flow, identity: identityOf(claims, readEmail({ issuer: settings.issuer, token: claims, beside })) }
  }

  return { name: settings.name, begin, finish }
}

// The settings admit http for loopback addresses only, where a laboratory has its provider.
const callIssuer = ({ issuer }: Registration) => guardedFetch({ trustedOrigin: new URL(issuer).origin })

/** Reads the provider's metadata. Rejects when it cannot be reached, or is not the configured issuer. */
export const discoverIssuer = (settings: Registration): Promise<Provider> =>
  discoverProvider(settings, callIssuer(settings))

function readFlow(secrets: Secrets, sealed: string | undefined, now: string): OidcFlow {
  if (sealed === undefined) throw new OidcFailure('expired', 'The browser has not begun to sign in')
  let flow: OidcFlow
  try {
    flow = JSON.parse(secrets.unseal(Buffer.from(sealed, 'base64url'), sealedFor).toString('utf8'))
  } catch (error) {
    throw new OidcFailure('expired', 'The cookie is not ours', error)
  }
  if (!isGoodNow(Date.parse(flow.endsAt), flowMs, Date.parse(now))) throw new OidcFailure('expired', 'It took too long')
  return flow
}

type Subject = { iss: string; sub: string; auth_time?: unknown }

function identityOf({ iss, sub, auth_time: authTime }: Subject, email: ReturnType<typeof readEmail>): Identity {
  return {
    issuer: iss,
    subject: sub,
    verifiedEmail: email.verified,
    isUnverified: email.isUnverified,
    authenticatedAt: typeof authTime === 'number' ? instantOf(authTime) : undefined,
  }
}

function instantOf(seconds: number): string {
  const date = new Date(seconds * 1_000)
  if (Number.isNaN(date.getTime())) throw new OidcFailure('refused', 'The time of proof is none')
  return date.toISOString()
}
