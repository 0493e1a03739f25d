import { latestVersion } from '@muster/contract/versions.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AdmittedSession, actorOf, type SessionNeed } from '../../base/callers.ts'
import { fail } from '../../base/errors.ts'
import type { SecretCookie } from '../../base/secrets/secret-cookie.ts'
import type { Need } from '../../http/authenticate.ts'
import type { CallerScheme, OperationScheme } from '../../http/caller-scheme.ts'
import { consolePrefix } from '../../http/console-address.ts'
import type { Kit } from '../../http/kit.ts'
import { sourceOf } from '../../http/request-source.ts'
import type { SessionGuard } from '../../http/session-endpoint.ts'
import { admitSession } from './admit-session.ts'
import { deviceCookie, flowCookie, sessionCookie } from './cookie.ts'
import { requireFreshProof, requirePower, requireRights } from './require-rights.ts'
import { sessionPurpose } from './start-session.ts'

const requestsPerMinute = 1_200
const csrfHeader = 'x-muster-csrf'
/** Of requests that nobody asked for: an open page that nobody looks at does not keep a session alive. */
const byItselfHeader = 'x-muster-background'
const csrfPurpose = 'console csrf'

/** By the cookie of a session, and on what changes something its token against other sites' pages. */
const scheme: CallerScheme = { name: 'session', kinds: [], refusal: 401 }

/** What the routes of sessions themselves give a browser, and take away. */
export type ConsoleGuard = SessionGuard & {
  readonly cookie: SecretCookie
  /** Kept by the browser while it is at the identity provider. */
  readonly flowCookie: SecretCookie
  /** Kept by the browser to be told from strangers when someone signs in again. */
  readonly deviceCookie: SecretCookie
  csrfTokenOf(secret: string): string
}

export function consoleGuard({ config, db, secrets, clock }: Kit): ConsoleGuard {
  const cookie = sessionCookie(config.baseUrl)
  const device = deviceCookie(config.baseUrl)
  const csrfTokenOf = (secret: string) => secrets.sign(csrfPurpose, secret).toString('base64url')
  const refuseStrangers = strangerRefusal(config.baseUrl)

  const admit: SessionGuard['admit'] = async (request, reply, need) => {
    refuseStrangers(request)
    if (request.headers.authorization !== undefined) {
      fail('not_signed_in', { message: 'API keys are for the API; the console is for administrators who sign in.' })
    }
    const secret = cookie.read(request.headers.cookie)
    if (secret === undefined) return fail('not_signed_in')
    const session = await admitSession(db, secrets.lookupHash(sessionPurpose, secret), {
      now: clock(),
      isBackground: request.headers[byItselfHeader] === '1',
      source: sourceOf(request),
    })
    if (!session) return fail('not_signed_in')
    holdToLimit(reply, session)
    if (!isSafe(request.method)) {
      const token = Buffer.from(String(request.headers[csrfHeader] ?? ''), 'base64url')
      if (!secrets.verify(csrfPurpose, secret, token)) {
        fail('cross_site', { message: 'The header X-Muster-CSRF must hold the token of the session.' })
      }
    }
    if (session.needs_second_factor && !need.isBeforeFactor) fail('second_factor_needed')
    requireRights(session, need)
    request.consoleSession = session
    request.sender = session.organization_id
    return session
  }
  return {
    cookie,
    flowCookie: flowCookie(config.baseUrl),
    deviceCookie: device,
    csrfTokenOf,
    scheme,
    refuseStrangers,
    admit,
    requireFreshProof,
    browserOf: (request) => ({
      source: sourceOf(request),
      userAgent: request.headers['user-agent'],
      sessionSecret: cookie.read(request.headers.cookie),
      deviceCookie: device.read(request.headers.cookie),
    }),
  }
}

/** RFC 9110 §9.2.1, of the methods that have routes. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'

/**
 * Browsers say where a request comes from, in Sec-Fetch-Site or, with everything but GET, in Origin: what changes
 * something must say that it comes from here.
 */
function strangerRefusal(baseUrl: string) {
  const { origin } = new URL(baseUrl)
  return ({ method, headers }: FastifyRequest): void => {
    const site = headers['sec-fetch-site']
    const isChange = !isSafe(method)
    if (site !== undefined && site !== 'same-origin' && (isChange || site !== 'none')) fail('cross_site')
    if (headers.origin !== undefined && headers.origin !== origin) {
      fail('cross_site', { message: `The console accepts requests from its own pages only: open it at ${baseUrl}.` })
    }
    if (isChange && site === undefined && headers.origin === undefined) fail('cross_site')
  }
}

function holdToLimit(reply: FastifyReply, { used, milliseconds_left }: AdmittedSession): void {
  if (used <= requestsPerMinute) return
  reply.header('retry-after', String(Math.max(1, Math.ceil(milliseconds_left / 1_000))))
  fail('rate_limited', {
    message: 'This session has made too many requests. Wait the number of seconds in Retry-After.',
  })
}

/**
 * What the features of the console are added with: the endpoints of the API a second time, for the session of an
 * administrator instead of a key, with the same checks of what is sent, the same commands and the same answers; what an
 * administrator may do decides.
 */
export function consoleKit(kit: Kit, guard: ConsoleGuard): Kit {
  const sessions: OperationScheme = {
    ...scheme,
    prefix: consolePrefix,
    origin: 'own_pages',
    versions: [latestVersion],
    isForEverybody: false,
    requires: (need) => async (request, reply) => {
      const session = await guard.admit(request, reply, needOf(need))
      request.principal = {
        organizationId: session.organization_id,
        actor: actorOf(session),
        requirePower: (permission) => requirePower(session, permission),
      }
    },
    requiresOfBody: ({ inConsole }) => {
      const proof = inConsole?.needsFreshProof ?? false
      if (proof === false) return undefined
      return async ({ body, consoleSession }) => {
        const isNeeded = proof === true || (typeof body === 'object' && body !== null && proof.toChange in body)
        if (isNeeded) requireFreshProof(consoleSession ?? fail('not_signed_in'), kit.clock())
      }
    },
    rightsOf: (need) => ({ ...needOf(need), needsFreshProof: need.inConsole?.needsFreshProof ?? false }),
  }
  // The operations are those of the API, and documented there.
  return { ...kit, scheme: sessions, sessions: guard, operations: [] }
}

/** What stands on the definition of an endpoint, as the console asks it. */
const needOf = ({ permission, feature, inConsole = {} }: Need): SessionNeed => ({
  requires: inConsole.power ?? permission,
  feature,
})
