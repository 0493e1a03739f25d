import type { Readable } from 'node:stream'
import type { FileDescription, InConsole } from '@muster/contract/operations/define-operations.ts'
import type { Permission } from '@muster/contract/permissions.ts'
import { apiVersions } from '@muster/contract/versions.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { newChange } from '../base/change-context.ts'
import { fail } from '../base/errors.ts'
import type { Call } from './endpoint.ts'
import { readParams } from './path-params.ts'
import { registerOperation } from './register-operation.ts'

/** A file as it is sent. */
export type FileAnswer = {
  /** Letters, digits and `._-` only. */
  readonly fileName: string
  readonly mediaType: string
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
  /** Called once; what it has opened is closed with the stream. */
  readonly open: () => Readable
}

export type FileEndpointDefinition<Path extends string> = {
  path: Path
  operationId: string
  summary: string
  description?: string
  tag: string
  permission: 'read' | Permission
  inConsole?: InConsole
  /** Path parameters that are no record identifiers, each with its description. */
  textParams?: Readonly<Record<string, string>>
  file: FileDescription
  run: (
    call: Omit<Call<undefined, undefined, Path>, 'body' | 'query' | 'abandoned' | 'requirePower'>,
  ) => Promise<FileAnswer>
}

/** Registers an endpoint that answers a file, streamed; refusals are JSON as everywhere. */
export function fileEndpoint<const Path extends string>(
  app: FastifyInstance,
  { run, file, description, permission, textParams = {}, ...definition }: FileEndpointDefinition<Path>,
): void {
  const { db, clock, linksOf } = app.kit
  const operation = {
    ...definition,
    kind: 'file' as const,
    description,
    versions: apiVersions,
    access: permission,
    feature: undefined,
    textParams,
    query: undefined,
    body: undefined,
    answer: undefined,
    file,
    status: 200,
    search: undefined,
  }
  const params = readParams(definition.path, textParams)
  registerOperation(app, operation, 'GET', (version) => async (request, reply) => {
    const { organizationId, actor, keyId } = request.principal ?? fail('unauthorized')
    const now = clock()
    const answer = await run({
      db,
      params: params(request.params),
      headers: request.headers,
      now,
      links: linksOf(request.principal),
      host: request.host,
      version,
      method: request.method,
      organizationId,
      context: newChange(actor, organizationId, now),
      keyId,
      credential: request.credential,
    })
    return sendFile(reply, answer)
  })
}

function sendFile(reply: FastifyReply, { fileName, mediaType, size, sha256, open }: FileAnswer): FastifyReply {
  reply.header('content-type', mediaType)
  reply.header('content-length', size)
  reply.header('content-disposition', `attachment; filename="${fileName}"`)
  reply.header('etag', `"${sha256}"`)
  return reply.send(open())
}
