import type { ErrorCode } from '@muster/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { protectedResourcePath } from './oauth-metadata-routes.ts'

/**
 * The WWW-Authenticate header of a refusal (RFC 6750 §3, RFC 9728 §5.1). It has no `error` where no bearer token was sent,
 * and where a valid one is refused for another reason.
 */
export function bearerChallenge(code: ErrorCode, request: FastifyRequest, baseUrl: string): string {
  const { scheme, scope } = request.routeOptions.config
  if (scheme?.challenge !== undefined) return scheme.challenge
  const parts = [`resource_metadata="${baseUrl}${protectedResourcePath}"`]
  const isSent = /^bearer +\S/i.test(request.headers.authorization ?? '')
  if (code === 'unauthorized' && isSent) parts.push('error="invalid_token"')
  if (code === 'permission_missing') {
    parts.push('error="insufficient_scope"')
    if (scope) parts.push(`scope="${scope}"`)
  }
  return `Bearer ${parts.join(', ')}`
}
