import { ErrorBody, ValidationErrorBody } from '@muster/contract/errors.ts'
import { operations } from '@muster/contract/operations/all-operations.ts'
import { envelope, RowCount } from '@muster/contract/pagination.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'

type Schema = Record<string, unknown>
type Check = ((value: unknown) => boolean) & {
  errors?: readonly { instancePath: string; message?: string; params: object }[] | null
}

/**
 * Fails every request whose answer is not what the documents say: a member missing, of another type, or undeclared.
 * The product itself sends what it presents without looking. Returns the list that the faults are added to.
 */
export function holdAnswersToTheirSchemas(app: FastifyInstance): string[] {
  const faults: string[] = []
  const checks = new Map<TSchema, Check>()
  const checkOf = (schema: TSchema, request: FastifyRequest): Check => {
    const check = checks.get(schema) ?? (request.compileValidationSchema(closed({ ...schema })) as Check)
    checks.set(schema, check)
    return check
  }
  app.addHook('preSerialization', (request, reply, payload, done) => {
    const { operationId } = request.routeOptions.config
    const operation = app.kit.operations.find((one) => one.operationId === operationId)
    const isPage = typeof payload === 'object' && payload !== null && 'pagination' in payload
    const ofApi = isPage ? operation?.answer : (operation?.alternative ?? operation?.answer)
    const ofConsole = isPage || !counted.has(operationId ?? '') ? consoleAnswers.get(operationId ?? '') : RowCount
    const answer = operation ? ofApi : ofConsole
    const refusalOfApi = reply.statusCode === 422 ? ValidationErrorBody : ErrorBody
    const refusal = request.url.startsWith('/console/') ? anyRefusal : refusalOfApi
    const schema = reply.statusCode < 400 ? answer : refusal
    if (!operationId || !schema) return done(null, payload)
    const check = checkOf(schema, request)
    if (check(payload)) return done(null, payload)
    faults.push(`${operationId} answered ${reply.statusCode} with what its schema refuses: ${describe(check)}`)
    done(new Error('The answer is not what the documents say'))
  })
  return faults
}

/** Of operations that only the console has; they are no part of the documents. */
const consoleAnswers = new Map<string, TSchema>()
for (const one of Object.values(operations)) {
  if ('record' in one) consoleAnswers.set(one.operationId, envelope(one.record))
  else if ('answer' in one) consoleAnswers.set(one.operationId, one.answer)
}

const counted = new Set<string>(
  Object.values(operations).flatMap((one) => ('hasCount' in one ? [one.operationId] : [])),
)

/** Routes of sessions have codes of their own. */
const anyRefusal = Type.Object({ error: Type.String(), message: Type.String(), errors: Type.Optional(Type.Any()) })

const describe = ({ errors }: Check): string =>
  (errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ')

/** The schema with nothing undeclared allowed, at any depth. */
function closed(schema: Schema): Schema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      // JSON within a string is a format of the documents' own; the validator knows the others.
      if (keyword === 'format' && value === 'json') return [keyword, undefined]
      if (keyword === 'properties') return [keyword, closedMembers(value as Record<string, Schema>)]
      if (Array.isArray(value) && ['anyOf', 'oneOf', 'allOf'].includes(keyword)) return [keyword, value.map(closed)]
      // The validator wants null among the values, too, where a value may be null.
      if (keyword === 'enum' && schema['nullable'] === true) return [keyword, [...(value as unknown[]), null]]
      const isSchema = keyword === 'items' || keyword === 'additionalProperties'
      return [keyword, isSchema && typeof value === 'object' && value !== null ? closed(value as Schema) : value]
    }),
  )
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...inner, additionalProperties: false }
    : inner
}

const closedMembers = (members: Record<string, Schema>) =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, closed(schema)]))
