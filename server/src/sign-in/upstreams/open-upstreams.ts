import type { UpstreamPart } from '../../base/db/schema.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { failureOf, OidcFailure } from '../../base/relying-party/oidc-failure.ts'
import {
  authorizationUrl,
  discoverProvider,
  exchangeCode,
  type Leg,
  type Provider,
  providerAt,
  providerCache,
  readUserInfo,
} from '../../base/relying-party/relying-party.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { storable } from '../../base/storable.ts'
import { type UpstreamEgress, upstreamFetch } from '../egress/upstream-egress.ts'
import { noteMetadata } from './change-upstream.ts'
import { type Failure, judgeAnswer, type UpstreamIdentity } from './judge-answer.ts'
import { metadataOf } from './read-metadata.ts'
import { type Upstream, upstreamSecretPlace } from './upstream-queries.ts'

export const returnPath = '/signin/upstream/return'
/** Where an upstream leads people back to from signing out. */
export const signedOutPath = '/signin/upstream/signed-out'

type Parts = { db: Db; secrets: Secrets; egress: UpstreamEgress }
type Going = { state: string; redirectUri: string; part: UpstreamPart }
export type Outcome =
  | UpstreamIdentity
  /** `detail`: what was wrong, for an administrator. */
  | { failure: Failure; detail?: string; cause?: unknown }
  | { answer: string }

/** What an application may be told of an upstream's refusal (OpenID Connect Core §3.1.2.6). */
const passedErrors = [
  ...(['access_denied', 'login_required', 'interaction_required'] as const),
  ...(['consent_required', 'account_selection_required'] as const),
] as readonly string[]
const busyErrors = ['temporarily_unavailable', 'server_error']
const maxProviders = 200

/** The upstreams of all organizations, as one process speaks to them: at a return alone, and never in a transaction. */
export function openUpstreams({ db, secrets, egress }: Parts) {
  const cached = providerCache(maxProviders)

  const registrationOf = (upstream: Upstream) => ({
    issuer: upstream.issuer,
    clientId: upstream.client_id,
    clientSecret: secrets.unseal(upstream.sealed_client_secret, upstreamSecretPlace(upstream)).toString('utf8'),
  })

  /** What a state stands for besides; only who holds the state and the master key can tell. */
  function legOf(state: string): Leg {
    const derive = (what: string) => secrets.sign('signin leg', `${what}/${state}`).toString('base64url')
    // RFC 7636 wants 43 characters at least.
    return { state, nonce: derive('nonce'), verifier: `${derive('verifier')}${derive('more')}` }
  }

  /** Where the browser is sent. Calls nobody. */
  function addressOf(upstream: Upstream, { state, redirectUri, part }: Going): Promise<string> {
    const { asked, failure } = part
    const { tenant_claim: claim, tenant_value: value } = upstream
    const isOtherWanted = failure !== undefined && failure !== 'unavailable' && asked.prompt === undefined
    // Google knows no `login`; not every other provider knows `select_account`.
    const toChoose = upstream.provider === 'google' ? 'select_account' : 'login'
    const prompt = isOtherWanted ? toChoose : asked.prompt
    const provider = providerAt(upstream.issuer, upstream.authorization_endpoint, upstream.client_id)
    return authorizationUrl(
      provider,
      { redirectUri, leg: legOf(state) },
      {
        ...(prompt !== undefined && { prompt }),
        ...(asked.maxAge !== undefined && { max_age: String(asked.maxAge) }),
        ...(asked.loginHint !== undefined && !isOtherWanted && { login_hint: asked.loginHint }),
        ...(claim === 'hd' && value !== null && { hd: value }),
      },
    )
  }

  async function providerOf(upstream: Upstream, nowMs: number): Promise<Provider> {
    const { organization_id: organizationId, id, sealed_client_secret: sealed } = upstream
    const key = `${organizationId}/${id}/${sealed.toString('base64')}`
    return cached(key, nowMs, async () => {
      const provider = await discoverProvider(registrationOf(upstream), upstreamFetch(egress, upstream.issuer))
      const read = metadataOf(provider)
      if (read?.issuer !== upstream.issuer) throw new OidcFailure('refused', 'The provider calls itself another issuer')
      const isNew =
        read.authorizationEndpoint !== upstream.authorization_endpoint ||
        read.endSessionEndpoint !== upstream.end_session_endpoint
      if (isNew) await transact(db, (tx) => noteMetadata(tx, { organizationId, id }, read))
      return provider
    })
  }

  /** Takes the answer that the browser has brought back: whom it names, or why it names nobody. */
  async function takeAnswer(upstream: Upstream, { state, redirectUri, part }: Going, query: string, now: string) {
    try {
      const provider = await providerOf(upstream, Date.parse(now))
      const back = new URL(`${redirectUri}?${query}`)
      const { claims: token, accessToken } = await exchangeCode(provider, back, { leg: legOf(state) })
      const isAsked = token['email'] === undefined && provider.serverMetadata().userinfo_endpoint !== undefined
      const beside = isAsked ? await readUserInfo(provider, accessToken, token.sub) : {}
      return judgeAnswer(upstream, { token, beside, asked: part.asked, begunAt: part.begunAt ?? now, now })
    } catch (error) {
      return outcomeOf(failureOf(error))
    }
  }

  return { addressOf, takeAnswer }
}

function outcomeOf(error: OidcFailure): Outcome {
  const { answer, reason } = error
  if (answer !== undefined && passedErrors.includes(answer)) return { answer }
  const isBusy = reason === 'unavailable' || (answer !== undefined && busyErrors.includes(answer))
  return { failure: isBusy ? 'unavailable' : 'refused', detail: detailOf(error), cause: error }
}

const maxCauses = 4

/** What a library says was wrong, as far as it is text of a bounded length; the words of a provider among it are a stranger's. */
function detailOf(error: OidcFailure): string {
  const parts: string[] = []
  let at: unknown = error
  for (let depth = 0; depth < maxCauses && at instanceof Error; depth += 1) {
    const { error: code, error_description: description } = at as { error?: unknown; error_description?: unknown }
    parts.push(at.message, ...[code, description].filter((part) => typeof part === 'string'))
    at = at.cause
  }
  const text = [...new Set(parts)].join(': ')
  return storable(text.replace(/[^\P{C}]/gu, ' '), 300)
}
