import { type ApiVersion, latestVersion } from '@muster/contract/versions.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Scope } from './access-tokens.ts'
import { boundAnswer } from './bound-answer.ts'
import { bodyCoercion } from './coerce-body.ts'
import { queryCoercion } from './coerce-query.ts'
import { explainMalformed } from './explain-validation.ts'
import { refuseUndecodable } from './letters.ts'
import type { Method, Operation } from './operations.ts'
import { unknownParameterRefusal } from './unknown-parameters.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/**
 * Adds an operation to the table and to the router, once for each version. A PATCH serves PUT as well, as an operation
 * of its own in the documents.
 */
export function registerOperation(
  app: FastifyInstance,
  operation: Omit<Operation, 'method'>,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  handlerFor: (version: ApiVersion) => Handler,
): void {
  const { operations, scheme } = app.kit
  const { kind, operationId, access, feature, path, routeToken, inConsole } = operation
  const scope = scopeOf(operation, method)
  if (access === 'public' && !scheme.isForEverybody) return
  const need = access !== 'public' && { permission: access, operationId, feature, scope, routeToken, inConsole }
  const ofBody = need && scheme.requiresOfBody?.(need)
  const rights = need && scheme.rightsOf?.(need)
  const versions = operation.versions.filter((version) => scheme.versions.includes(version))
  operations.push({ ...operation, method })
  if (method === 'PATCH') operations.push({ ...operation, method: 'PUT', operationId: `${operationId}WithPut` })
  const methods: Method[] = method === 'PATCH' ? ['PATCH', 'PUT'] : [method]
  for (const version of versions) {
    app.route({
      method: methods,
      url: path,
      constraints: { apiVersion: version },
      config: { scheme, access, kind, origin: scheme.origin, operationId, scope, ...(rights && { rights }) },
      schema: schemaOf(operation),
      ...(operation.faultsAreMalformed && { schemaErrorFormatter: explainMalformed }),
      ...(need && { onRequest: scheme.requires(need) }),
      ...(ofBody && { preHandler: ofBody }),
      preValidation: preparationOf(operation, version),
      onSend: boundAnswer,
      handler: handlerFor(version),
    })
  }
}

/**
 * Refuses a query string that is not understood, and reads what it and a body write as text, before they are held to their
 * schemas. The older version ignores what it does not know, as it always has, and so do the discovery documents, whose
 * standards are others'.
 */
function preparationOf(operation: Omit<Operation, 'method'>, version: ApiVersion) {
  const { access, query, body } = operation
  const isStrict = version === latestVersion && access !== 'public'
  const preparations = [
    ...(isStrict ? [refuseUndecodable, unknownParameterRefusal(operation)] : []),
    query && queryCoercion(query),
    body && bodyCoercion(body),
  ].filter((one) => one !== undefined)
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    for (const prepare of preparations) prepare(request)
    done()
  }
}

/** Access tokens are for streams alone. */
function scopeOf({ feature, isReading }: Omit<Operation, 'method'>, method: Method): Scope | undefined {
  if (feature !== 'ssf') return undefined
  return method === 'GET' || isReading ? 'ssf.read' : 'ssf.manage'
}

/**
 * Answers are written by JSON.stringify as they are presented: a serializer made from the schema took a tenth of the
 * time of a page, and hid what presenters got wrong. The test app holds every answer to its schema instead.
 */
function schemaOf({ body, query }: Omit<Operation, 'method'>) {
  const schema: { body?: TSchema; querystring?: TSchema } = {}
  if (body) schema.body = body
  if (query) schema.querystring = query
  return schema
}
