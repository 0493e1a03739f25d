import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ChangeContext, newChange } from '../../base/change-context.ts'
import type { Db } from '../../base/db/transact.ts'
import type { Links } from '../../base/links.ts'
import type { CallerScheme } from '../../http/caller-scheme.ts'
import { sourceOf } from '../../http/request-source.ts'
import { type AdmittedToken, admitToken } from './admit-token.ts'
import { isRecord, type Values } from './attribute.ts'
import type { Precondition } from './require-version.ts'
import { refuse } from './scim-error.ts'
import { isWellFormedScimToken, scimTokenPurpose } from './token-format.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The token of an identity provider, set by every route of SCIM. */
    scimToken: AdmittedToken | undefined
  }
}

/** By a SCIM token, before anything else of a request is looked at. */
const scimTokens: CallerScheme = { name: 'scim_token', kinds: ['foreign'], refusal: 401 }

/** Per token. An initial load of 10,000 people takes an identity provider some ten minutes. */
const requestsPerMinute = 1_200

export type ScimRequest = {
  readonly db: Db
  readonly links: Links
  readonly call: ChangeContext
  /** Of the address; blank where it has none. */
  readonly id: string
  readonly query: Record<string, unknown>
  /** Empty for a request without one. */
  readonly body: Record<string, unknown>
  readonly ifMatch: Precondition
  readonly ifNoneMatch: Precondition
}

export type ScimAnswer = { status: number; body?: Values; location?: string; version?: string }

type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  bodyLimit?: number
  run: (request: ScimRequest) => Promise<ScimAnswer>
}

/** Registers a route of SCIM; there is none without a token. */
export function scimEndpoint(scope: FastifyInstance, { method, url, bodyLimit, run }: Endpoint): void {
  scope.route({
    method,
    url,
    config: { scheme: scimTokens, kind: 'foreign', origin: 'any' },
    ...(bodyLimit !== undefined && { bodyLimit }),
    onRequest: (request, reply) => admit(scope, request, reply),
    handler: async (request, reply) => send(reply, await run(readRequest(scope, request))),
  })
}

async function admit(scope: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { db, secrets, clock, requireAddress } = scope.kit
  const given = /^bearer +(\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
  const isPlausible = given !== undefined && isWellFormedScimToken(given)
  const token = isPlausible ? await admitToken(db, secrets.lookupHash(scimTokenPurpose, given), clock()) : undefined
  if (!token) return refuse(401, undefined, 'Send a valid SCIM token as Authorization: Bearer <token>.')
  await requireAddress(request.host, token)
  const { position, resetSeconds, disabledFeatures } = token
  if (position > requestsPerMinute) {
    reply.header('retry-after', String(resetSeconds))
    refuse(429, undefined, 'This token has made too many requests. Wait the number of seconds in Retry-After.')
  }
  if (disabledFeatures.includes('scim')) refuse(401, undefined, 'SCIM is not available to the organization.')
  request.scimToken = token
  request.sender = token.organizationId
}

function readRequest(scope: FastifyInstance, request: FastifyRequest): ScimRequest {
  const { db, linksOf, clock } = scope.kit
  const { scimToken: token, method, params, query, body, headers } = request
  if (!token) return refuse(401, undefined, 'Send a SCIM token.')
  const takesBody = method !== 'GET' && method !== 'DELETE'
  if (takesBody && !isRecord(body)) refuse(400, 'invalidSyntax', 'The body must be a JSON object.')
  return {
    db,
    links: linksOf(token),
    call: newChange(
      { type: 'System', id: null, name: `${token.name} (SCIM)`, email: null, source: sourceOf(request) },
      token.organizationId,
      clock(),
      'admin',
    ),
    id: isRecord(params) ? String(params['id'] ?? '') : '',
    query: isRecord(query) ? query : {},
    body: takesBody && isRecord(body) ? body : {},
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
  }
}

export const scimMediaType = 'application/scim+json'

function send(reply: FastifyReply, { status, body, location, version }: ScimAnswer): FastifyReply {
  reply.code(status)
  if (location !== undefined) reply.header('location', location)
  if (version !== undefined) reply.header('etag', version)
  return body === undefined ? reply.send() : reply.header('content-type', scimMediaType).send(JSON.stringify(body))
}
