import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { statusOf, toServiceError } from '../../http/errors.ts'
import { isEncoded } from '../../http/letters.ts'
import { scimMediaType } from './endpoint-routes.ts'
import { ScimError, type ScimType } from './scim-error.ts'

const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** What the unique indexes keep apart, as the caller knows it (RFC 7644 §3.3). */
const conflicts: Partial<Record<string, string>> = {
  scim_users_user_name_key: 'There is a user with this userName already.',
  people_email_key: 'There is a person with this e-mail address already.',
  scim_groups_display_name_key: 'There is a group with this displayName already.',
}

/** Every failure below the prefix is told in the form of RFC 7644 §3.12. */
export function answerErrorsOfScim(scope: FastifyInstance): void {
  const { log } = scope.kit
  scope.setNotFoundHandler((request, reply) => {
    const methods = scope.allowedMethods(request.url.split('?', 1)[0] ?? '', request.headers)
    if (methods.length === 0) return send(reply, new ScimError(404, undefined, 'There is no such endpoint.'))
    reply.header('allow', methods.join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    return send(reply, new ScimError(405, undefined, `This endpoint does not support ${request.method}.`))
  })
  scope.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error)
    if (refusal.status >= 500) logFailure(log, error, request, refusal.status)
    // RFC 9110 §11.6.1: a 401 names the scheme that would do.
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer')
    if (refusal.status === 415 && isEncoded(request)) reply.header('accept-encoding', 'identity')
    return send(reply, refusal)
  })
}

function send(reply: FastifyReply, { status, scimType, message }: ScimError): FastifyReply {
  const body = { schemas: [errorUrn], status: String(status), ...(scimType && { scimType }), detail: message }
  return reply.code(status).header('content-type', scimMediaType).send(JSON.stringify(body))
}

type Log = FastifyInstance['kit']['log']

function logFailure(log: Log, error: unknown, request: FastifyRequest, status: number): void {
  log[status === 500 ? 'error' : 'warn']({ request_id: request.id, err: error }, 'SCIM request failed')
}

/** Whatever was thrown, as what the caller is told. */
function refusalOf(error: unknown): ScimError {
  if (error instanceof ScimError) return error
  const conflict = conflictOf(error)
  if (conflict) return new ScimError(409, 'uniqueness', conflict)
  const { code, message } = toServiceError(error)
  const status = statusOf[code]
  return new ScimError(
    status === 422 ? 400 : status,
    scimTypes[code] ?? (status === 422 ? 'invalidValue' : undefined),
    message,
  )
}

const scimTypes: Partial<Record<string, ScimType>> = {
  malformed_json: 'invalidSyntax',
  malformed_request: 'invalidSyntax',
}

function conflictOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23505' || !('constraint' in error)) return
  return conflicts[String(error.constraint)]
}
