import { latestVersion } from '@muster/contract/versions.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admitSession } from '../access/sessions/admit-session.ts'
import { deviceCookie, flowCookie, sessionCookie } from '../access/sessions/cookie.ts'
import { requireFreshProof, requirePower, requireRights } from '../access/sessions/require-rights.ts'
import { sessionPurpose } from '../access/sessions/start-session.ts'
import { type AdmittedSession, actorOf, type SessionNeed } from '../base/callers.ts'
import { fail } from '../base/errors.ts'
import type { SecretCookie } from '../base/secrets/secret-cookie.ts'
import type { Need } from './authenticate.ts'
import type { Kit } from './kit.ts'

export const consolePrefix = '/console/api'
const requestsPerMinute = 1_200
const csrfHeader = 'x-muster-csrf'
/** Of requests that nobody asked for: an open page that nobody looks at does not keep a session alive. */
const byItselfHeader = 'x-muster-background'
const csrfPurpose = 'console csrf'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route of the console that needs one. */
    consoleSession: AdmittedSession | undefined
  }
}

export type SessionGuard = {
  readonly cookie: SecretCookie
  /** Kept by the browser while it is at the identity provider. */
  readonly flowCookie: SecretCookie
  /** Kept by the browser to be told from strangers when someone signs in again. */
  readonly deviceCookie: SecretCookie
  csrfTokenOf(secret: string): string
  /** Refuses what another site's page sends. */
  refuseStrangers(request: FastifyRequest): void
  /**
   * Lets a session in, within its limit, and refuses what its own page has not sent. While a second factor is missing that
   * the organization requires, only what is said to be before it.
   */
  admit(request: FastifyRequest, reply: FastifyReply, isBeforeFactor?: boolean): Promise<AdmittedSession>
}

export function sessionGuard({ config, db, secrets, clock }: Kit): SessionGuard {
  const cookie = sessionCookie(config.baseUrl)
  const csrfTokenOf = (secret: string) => secrets.sign(csrfPurpose, secret).toString('base64url')
  const refuseStrangers = strangerRefusal(config.baseUrl)

  async function admit(request: FastifyRequest, reply: FastifyReply, isBeforeFactor = false): Promise<AdmittedSession> {
    refuseStrangers(request)
    if (request.headers.authorization !== undefined) {
      fail('not_signed_in', { message: 'API keys are for the API; the console is for administrators who sign in.' })
    }
    const secret = cookie.read(request.headers.cookie)
    if (secret === undefined) return fail('not_signed_in')
    const session = await admitSession(db, secrets.lookupHash(sessionPurpose, secret), {
      now: clock(),
      isBackground: request.headers[byItselfHeader] === '1',
      ipAddress: request.ip,
    })
    if (!session) return fail('not_signed_in')
    holdToLimit(reply, session)
    if (!isSafe(request.method)) {
      const token = Buffer.from(String(request.headers[csrfHeader] ?? ''), 'base64url')
      if (!secrets.verify(csrfPurpose, secret, token)) {
        fail('cross_site', { message: 'The header X-Muster-CSRF must hold the token of the session.' })
      }
    }
    if (session.needs_second_factor && !isBeforeFactor) fail('second_factor_needed')
    request.consoleSession = session
    return session
  }
  return {
    cookie,
    flowCookie: flowCookie(config.baseUrl),
    deviceCookie: deviceCookie(config.baseUrl),
    csrfTokenOf,
    refuseStrangers,
    admit,
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
 * The endpoints of the API a second time, for the session of an administrator instead of a key: the same checks of what
 * is sent, the same commands, the same answers. `addApi` adds them; what an administrator may do decides.
 */
export function addApiForSessions(
  scope: FastifyInstance,
  guard: SessionGuard,
  addApi: (scope: FastifyInstance) => void,
): void {
  const { clock } = scope.kit
  const scheme = {
    prefix: consolePrefix,
    origin: 'own_pages' as const,
    versions: [latestVersion],
    isForEverybody: false,
    requires: (need: Need) => async (request: FastifyRequest, reply: FastifyReply) => {
      const session = await guard.admit(request, reply)
      requireRights(session, needOf(need))
      request.principal = {
        organizationId: session.organization_id,
        actor: actorOf(session),
        requirePower: (permission) => requirePower(session, permission),
      }
    },
    requiresOfBody: ({ inConsole }: Need) => {
      const proof = inConsole?.needsFreshProof ?? false
      if (proof === false) return undefined
      return async ({ body, consoleSession }: FastifyRequest) => {
        const isNeeded = proof === true || (typeof body === 'object' && body !== null && proof.toChange in body)
        if (isNeeded) requireFreshProof(consoleSession ?? fail('not_signed_in'), clock())
      }
    },
    rightsOf: (need: Need) => ({ ...needOf(need), needsFreshProof: need.inConsole?.needsFreshProof ?? false }),
  }
  // The operations are those of the API, and documented there.
  const kit: Kit = { ...scope.kit, scheme, operations: [] }
  // A decorator may not be given again to a part of the app; the property may.
  Object.defineProperty(scope, 'kit', { value: kit })
  addApi(scope)
}

/** What stands on the definition of an endpoint, as the console asks it. */
const needOf = ({ permission, feature, inConsole = {} }: Need): SessionNeed => ({
  requires: inConsole.power ?? permission,
  feature,
})
