import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../../base/clock.ts'
import { requestAlgorithms } from '../connections/read-request-keys.ts'
import { endSessionPath } from '../connections/sign-in-address.ts'
import { acrValues, claimsOfScopes, claimsOfUserinfo, type OutcomeClaims } from './claims-rules.ts'
import { markOfRequest } from './mark-of-request.ts'
import { currentCall, NotAnswered } from './provider-call.ts'
import { lifeSeconds } from './records.ts'
import { judgePkce, StaleRequest } from './refusals.ts'
import { aheadOf, faultOfTimes } from './request-rules.ts'

/** Those beside `openid` are of applications whose people an upstream signs in. */
const scopes = Object.keys(claimsOfScopes)
export const responseModes = ['query', 'form_post'] as const

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

/** What each organization has of its own. */
type Asked = {
  baseUrl: string
  /** Clients that do without PKCE. */
  withoutPkce: ReadonlySet<string>
  /** Whether any application is led back to when it signs people out; else it ends its own session alone. */
  isLedBack: boolean
}

/**
 * By how much a clock may be wrong for the library, in seconds. It has one tolerance for everything: none for codes and tokens; where
 * requests are taken so much that it refuses none, as `judgeRequest` has a limit for each of a request's times.
 */
export const tolerances = { requests: Number.MAX_SAFE_INTEGER, grants: 0 } as const

/** What is the same for every organization but for that. */
export function providerSettings(
  { baseUrl, withoutPkce, isLedBack }: Asked,
  clock: Clock,
  tolerance: keyof typeof tolerances,
): Configuration {
  return {
    routes: { authorization: '/auth', jwks: '/jwks', token: '/token', userinfo: '/me' },
    responseTypes: ['code'],
    scopes,
    claims: Object.fromEntries(Object.entries(claimsOfScopes).map(([scope, claims]) => [scope, [...claims]])),
    conformIdTokenClaims: false,
    discovery: isLedBack ? { end_session_endpoint: `${baseUrl}${endSessionPath}` } : {},
    acrValues: [...acrValues],
    // No assertions: nothing remembers which were used.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { requestObjectSigningAlgValues: [...requestAlgorithms] },
    clockTolerance: tolerances[tolerance],
    clientBasedCORS: () => false,
    // There is no session for a code to end with.
    expiresWithSession: () => false,
    pkce: { required: judgePkce(withoutPkce) },
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
      claims: (use, _scope, asked) => {
        const outcome = (currentCall().granted?.['outcome'] ?? {}) as OutcomeClaims
        return { ...(use === 'id_token' ? outcome : claimsOfUserinfo(outcome, Object.keys(asked))), sub }
      },
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
    const nowMs = Date.parse(clock())
    const fault = faultOfTimes(claims, nowMs)
    if (fault?.isOfClock) throw new StaleRequest(fault.text)
    if (fault) throw new errors.InvalidRequestObject(fault.text)
    const call = currentCall()
    call.mark = markOfRequest(claims, String(oidc.params?.['request']))
    call.aheadMs = aheadOf(claims, nowMs)
  }
}

/**
 * Leaves out of the discovery document what no client can have: the library lists each response mode that it knows, and a claim of
 * sessions.
 */
export async function sayWhatIsSo(context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (context.oidc?.route !== 'discovery') return
  const document = context.body as Record<string, unknown> & { claims_supported: string[] }
  document['response_modes_supported'] = responseModes
  document['claims_supported'] = document.claims_supported.filter((claim) => claim !== 'sid')
}
