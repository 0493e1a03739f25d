import { type AdminPower, adminPowers } from '@muster/contract/admin-powers.ts'
import { type Feature, features } from '@muster/contract/features.ts'
import type { InConsole } from '@muster/contract/operations/define-operations.ts'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, Caller, Principal } from '../base/callers.ts'
import type { Clock } from '../base/clock.ts'
import { fail } from '../base/errors.ts'
import type { Secrets } from '../base/secrets/secrets.ts'
import { isWellFormedKey } from '../base/secrets/token-format.ts'
import { type AccessToken, isAccessToken, readAccessToken, type Scope } from './access-tokens.ts'
import { sourceOf } from './request-source.ts'
import type { RequireAddress } from './require-address.ts'

/** What a route asks of the key; `scope` is what an access token needs, which is good for nothing without one. */
export type Need = {
  permission: 'read' | Permission
  operationId: string
  feature?: Feature | undefined
  scope?: Scope | undefined
  routeToken?: RouteToken | undefined
  inConsole?: InConsole | undefined
}

/** What a request may be sent with as `Authorization: Bearer`. */
export type Credential = 'api_key' | 'access_token' | 'route_token'

/** A bearer token that opens one route and nothing else. */
export type RouteToken = {
  /** Whether a text has the form of one. */
  readonly matches: (bearer: string) => boolean
  /** Counts a request with it; undefined when it does not open this address. */
  readonly admit: (bearer: string, params: unknown) => Promise<RouteTokenAdmission | undefined>
}

export type RouteTokenAdmission = RateLimitPosition & {
  readonly caller: Caller & { readonly baseUrl: string | null }
  readonly isAtOwnAddressOnly: boolean
  readonly disabledFeatures: ReadonlySet<Feature>
}

type RateLimitPosition = Pick<Admission, 'position' | 'resetSeconds'>
type HoldToLimit = (reply: FastifyReply, position: RateLimitPosition) => void

type Authentication = {
  secrets: Secrets
  clock: Clock
  /** Refuses a key at an address where its organization is not served. */
  requireAddress: RequireAddress
  /** Told of every request that a permission lets through. */
  onPermissionUse: (principal: Principal, permission: Permission) => void
}

/** Counts a request of the key with this look-up hash, and refuses it beyond the limit; undefined for no such key. */
export type Admit = (reply: FastifyReply, lookupHash: Buffer) => Promise<Principal | undefined>

export function rateLimiter({ limitPerMinute, windowMs }: { limitPerMinute: number; windowMs: number }): HoldToLimit {
  const limit = String(limitPerMinute)
  const policy = `${limit};w=${Math.ceil(windowMs / 1000)}`

  // draft-ietf-httpapi-ratelimit-headers-03 to -06: the header family that clients of this API read.
  return (reply, { position, resetSeconds }) => {
    const reset = String(resetSeconds)
    reply.header('ratelimit-limit', limit)
    reply.header('ratelimit-remaining', String(Math.max(0, limitPerMinute - position)))
    reply.header('ratelimit-reset', reset)
    reply.header('ratelimit-policy', policy)
    if (position <= limitPerMinute) return
    reply.header('retry-after', reset)
    fail('rate_limited')
  }
}

export const admitter =
  (countRequest: (lookupHash: Buffer) => Promise<Admission | undefined>, holdToLimit: HoldToLimit): Admit =>
  async (reply, lookupHash) => {
    const admission = await countRequest(lookupHash)
    if (admission) holdToLimit(reply, admission)
    return admission?.principal
  }

/** Makes the hook that lets a request of a key in: known, within its limit, and allowed to do this. */
export function authenticator(
  admit: Admit,
  holdToLimit: HoldToLimit,
  { secrets, clock, onPermissionUse, requireAddress }: Authentication,
) {
  async function admitRouteToken(request: FastifyRequest, reply: FastifyReply, token: RouteToken, bearer: string) {
    request.credential = 'route_token'
    const admission = await token.admit(bearer, request.params)
    if (!admission) return fail('unauthorized', { message: 'This token is not valid here.' })
    holdToLimit(reply, admission)
    const { caller, isAtOwnAddressOnly } = admission
    await requireAddress(request.host, { ...caller, isAtOwnAddressOnly })
    request.principal = caller
    request.sender = caller.organizationId
    // What a key needs for the same request.
    requireFeature(admission, 'write_api')
    return admission
  }

  return (need: Need) => {
    const { permission, feature, scope, routeToken } = need
    return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const bearer = bearerTokenOf(request.headers.authorization) ?? ''
      if (routeToken?.matches(bearer)) {
        const admission = await admitRouteToken(request, reply, routeToken, bearer)
        if (feature) requireFeature(admission, feature)
        return
      }
      if (bearer !== '') request.credential = isAccessToken(bearer) ? 'access_token' : 'api_key'
      const access = isAccessToken(bearer) ? readAccessToken(secrets, bearer, Date.parse(clock())) : undefined
      const lookupHash = isWellFormedKey(bearer) ? secrets.lookupHash('api_key', bearer) : access?.lookupHash
      const principal = lookupHash && (await admit(reply, lookupHash))
      if (!principal) return fail('unauthorized')
      await requireAddress(request.host, principal)
      const { organizationId, keyId, actor, baseUrl } = principal
      const requirePower = (needed: AdminPower) => {
        if (!isForKeys(needed)) return refuseKeys(needed)
        requirePermission(principal, needed)
        onPermissionUse(principal, needed)
      }
      request.principal = {
        organizationId,
        keyId,
        baseUrl,
        actor: { ...actor, source: sourceOf(request) },
        requirePower,
      }
      request.sender = organizationId
      if (access) requireScope(access, scope)
      if (feature) requireFeature(principal, feature)
      if (permission === 'read') return
      requirePower(permission)
    }
  }
}

/** RFC 6750 §3.1, insufficient_scope. */
function requireScope({ scopes }: AccessToken, scope: Scope | undefined): void {
  if (scope && (scopes.has(scope) || scopes.has('ssf.manage'))) return
  const needed = scope ? `the scope ${scope}` : 'an API key: access tokens are for streams only'
  fail('permission_missing', { message: `This needs ${needed}.` })
}

export function bearerTokenOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length > 500 || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return header.slice(7).trim()
}

function requireFeature({ disabledFeatures }: Pick<Principal, 'disabledFeatures'>, feature: Feature): void {
  if (!disabledFeatures.has(feature)) return
  fail('feature_unavailable', {
    message: `The feature ${features[feature].title} is not available to the organization.`,
  })
}

const isForKeys = (power: AdminPower): power is Permission => power in permissions

const refuseKeys = (power: Exclude<AdminPower, Permission>): never =>
  fail('permission_missing', {
    message: `This needs ${adminPowers[power].title}, which API keys cannot have. Sign in to the console.`,
  })

function requirePermission(principal: Principal, permission: Permission): void {
  requireFeature(principal, 'write_api')
  if (principal.permissions.has(permission)) return
  fail('permission_missing', { message: `This key lacks the permission ${permissions[permission].title}.` })
}
