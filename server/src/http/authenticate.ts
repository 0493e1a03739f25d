import { type Feature, features } from '@muster/contract/features.ts'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isWellFormedKey } from '../api-keys/key-format.ts'
import type { Principal } from '../api-keys/principal.ts'
import { fail } from '../errors.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Admission, Admissions } from './admissions.ts'

/** What a route asks of the key. */
export type Need = { permission: 'read' | Permission; feature?: Feature | undefined }

type Authentication = { admissions: Admissions; secrets: Secrets; limitPerMinute: number; windowMs: number }

/** Makes the hook that lets a request of a key in: known, within its limit, and allowed to do this. */
export function authenticator({ admissions, secrets, limitPerMinute, windowMs }: Authentication) {
  const limit = String(limitPerMinute)
  const policy = `${limit};w=${Math.ceil(windowMs / 1000)}`

  // draft-ietf-httpapi-ratelimit-headers-03 to -06: the header family that clients of this API read.
  function holdToLimit(reply: FastifyReply, { position, resetSeconds }: Admission): void {
    const reset = String(resetSeconds)
    reply.header('ratelimit-limit', limit)
    reply.header('ratelimit-remaining', String(Math.max(0, limitPerMinute - position)))
    reply.header('ratelimit-reset', reset)
    reply.header('ratelimit-policy', policy)
    if (position <= limitPerMinute) return
    reply.header('retry-after', reset)
    fail('rate_limited')
  }

  return ({ permission, feature }: Need) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const key = bearerTokenOf(request.headers.authorization)
      const isPlausible = key !== undefined && isWellFormedKey(key)
      const admission = isPlausible ? await admissions.admit(secrets.lookupHash('api_key', key)) : undefined
      if (!admission) return fail('unauthorized')
      const { principal } = admission
      request.principal = principal
      holdToLimit(reply, admission)
      if (feature) requireFeature(principal, feature)
      if (permission !== 'read') requirePermission(principal, permission)
    }
}

function bearerTokenOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length > 500 || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return header.slice(7).trim()
}

function requireFeature({ disabledFeatures }: Principal, feature: Feature): void {
  if (!disabledFeatures.has(feature)) return
  fail('feature_unavailable', {
    message: `The feature ${features[feature].title} is not available to the organization.`,
  })
}

function requirePermission(principal: Principal, permission: Permission): void {
  requireFeature(principal, 'write_api')
  if (principal.permissions.has(permission)) return
  fail('permission_missing', { message: `This key lacks the permission ${permissions[permission].title}.` })
}
