import type { IncomingHttpHeaders } from 'node:http'
import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { Feature } from '@muster/contract/features.ts'
import type { Access, InConsole } from '@muster/contract/operations/define-operations.ts'
import type { PathParams } from '@muster/contract/operations/path-params.ts'
import type { Permission } from '@muster/contract/permissions.ts'
import { type ApiVersion, apiVersions } from '@muster/contract/versions.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema, TUnsafe } from 'typebox'
import { type ChangeContext, newChange } from '../base/change-context.ts'
import type { Db } from '../base/db/transact.ts'
import { fail } from '../base/errors.ts'
import type { Links } from '../base/links.ts'
import { abandonmentOf } from './abandonment.ts'
import type { Credential, RouteToken } from './authenticate.ts'
import { readParams } from './path-params.ts'
import { registerOperation } from './register-operation.ts'

/** What a request of a key comes with. */
export type Call<Body = unknown, Query = unknown, Path extends string = string> = PublicCall<Body, Query, Path> & {
  readonly organizationId: string
  /** For the commands that the request runs. */
  readonly context: ChangeContext
  /** The key of the request, or the one that its access token was granted for. */
  readonly keyId: string | undefined
  /** Undefined in the console. */
  readonly credential: Credential | undefined
  /** Refuses a caller without a power that an effect of the request needs beyond the definition. */
  readonly requirePower: (power: AdminPower) => void
}

/** What a request without a key comes with. */
export type PublicCall<Body = unknown, Query = unknown, Path extends string = string> = {
  readonly db: Db
  readonly params: PathParams<Path>
  readonly body: Body
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  /** The host, with its port, that the request was sent to. */
  readonly host: string
  readonly now: string
  readonly links: Links
  readonly version: ApiVersion
  /** As it was asked: tells PUT from PATCH, where one replaces and the other keeps what is missing. */
  readonly method: string
  /** Aborts when the caller goes before the answer. */
  readonly abandoned: () => AbortSignal
}

type Headers = Readonly<Record<string, string>>

export type EndpointDefinition<
  Path extends string,
  Answer extends TSchema,
  Body extends TSchema,
  Query extends TSchema,
> = {
  /** PATCH serves PUT as well. */
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: Path
  operationId: string
  summary: string
  description?: string
  tag: string
  feature?: Feature
  versions?: readonly ApiVersion[]
  /** Path parameters that are no record identifiers, each with its description. */
  textParams?: Readonly<Record<string, string>>
  body?: Body
  query?: Query
  /** The query or the body names the record, instead of the path. */
  namesRecord?: true
  /** A POST by which a stream is only read: the scope `ssf.read` is enough. */
  isReading?: true
  /** A bearer token, other than a key, that is accepted for this route alone. */
  routeToken?: RouteToken
  inConsole?: InConsole
  /** A body of another form is a 400 instead of a 422, where a protocol asks for it. */
  faultsAreMalformed?: true
  /** Left out: the answer has no body, and its status is 204. */
  answer?: Answer
  status?: 200 | 201
  /** Sent with every successful answer, or with this one; names in lower case. */
  headers?: Headers | ((answer: Static<Answer>) => Headers)
}

type Nothing = TUnsafe<undefined>
type Run<Called, Answer extends TSchema> = (call: Called) => Promise<Answer extends Nothing ? void : Static<Answer>>

/** Registers an endpoint that a key calls, once for each of its versions. */
export function endpoint<
  const Path extends string,
  Answer extends TSchema = Nothing,
  Body extends TSchema = Nothing,
  Query extends TSchema = Nothing,
>(
  app: FastifyInstance,
  definition: EndpointDefinition<Path, Answer, Body, Query> & {
    permission: 'read' | Permission
    run: Run<Call<Static<Body>, Static<Query>, Path>, Answer>
  },
): void {
  const { permission, run } = definition
  register(app, definition, permission, (call, request) => {
    const principal = request.principal ?? fail('unauthorized')
    const { organizationId, actor, keyId, requirePower = refuse } = principal
    const context = newChange(actor, organizationId, call.now)
    return run({ ...call, organizationId, context, keyId, credential: request.credential, requirePower })
  })
}

const refuse = () => fail('permission_missing')

/** Registers an endpoint that needs no key. */
export function publicEndpoint<
  const Path extends string,
  Answer extends TSchema = Nothing,
  Body extends TSchema = Nothing,
  Query extends TSchema = Nothing,
>(
  app: FastifyInstance,
  definition: EndpointDefinition<Path, Answer, Body, Query> & {
    run: Run<PublicCall<Static<Body>, Static<Query>, Path>, Answer>
  },
): void {
  const { run } = definition
  register(app, definition, 'public', (call) => run(call))
}

function register<Path extends string, Answer extends TSchema, Body extends TSchema, Query extends TSchema>(
  app: FastifyInstance,
  definition: EndpointDefinition<Path, Answer, Body, Query>,
  access: Access,
  run: (call: PublicCall<Static<Body>, Static<Query>, Path>, request: FastifyRequest) => Promise<unknown>,
): void {
  const { db, clock, linksOf } = app.kit
  const { method, path, textParams = {}, answer, headers = {} } = definition
  const status = answer ? (definition.status ?? 200) : 204
  const operation = {
    kind: 'json' as const,
    operationId: definition.operationId,
    path,
    versions: definition.versions ?? apiVersions,
    summary: definition.summary,
    description: definition.description,
    tag: definition.tag,
    access,
    feature: definition.feature,
    inConsole: definition.inConsole,
    textParams,
    query: definition.query,
    body: definition.body,
    answer,
    file: undefined,
    status,
    namesRecord: definition.namesRecord,
    faultsAreMalformed: definition.faultsAreMalformed,
    isReading: definition.isReading,
    routeToken: definition.routeToken,
    search: undefined,
  }
  const params = readParams(path, textParams)
  registerOperation(app, operation, method, (version) => async (request, reply) => {
    const call = {
      db,
      params: params(request.params),
      // Both were validated against the schemas that these types come from.
      body: request.body as Static<Body>,
      query: request.query as Static<Query>,
      headers: request.headers,
      host: request.host,
      now: clock(),
      links: linksOf(request.principal),
      version,
      method: request.method,
      abandoned: () => abandonmentOf(reply),
    }
    const result = await run(call, request)
    reply.code(status).headers(typeof headers === 'function' ? headers(result as Static<Answer>) : headers)
    return status === 204 ? reply.send() : result
  })
}
