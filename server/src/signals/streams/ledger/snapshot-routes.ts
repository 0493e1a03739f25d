import { Readable } from 'node:stream'
import { streamOperations } from '@muster/contract/operations/streams.ts'
import type { SsfSnapshot, SsfSnapshotQuery } from '@muster/contract/ssf-snapshots.ts'
import { type ApiVersion, apiVersions } from '@muster/contract/versions.ts'
import type { FastifyInstance } from 'fastify'
import { fail, orNotFound } from '../../../base/errors.ts'
import { decodeCursor, encodeCursor } from '../../../base/lists/cursor.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { readParams } from '../../../http/path-params.ts'
import { registerOperation } from '../../../http/register-operation.ts'
import { findStream, type Stream } from '../queries.ts'
import type { StreamParts } from '../start-streams.ts'
import { type SnapshotPage, snapshotLines, takeCheckpoint, takeSnapshot } from './take-snapshot.ts'

const lines = 'application/x-ndjson'

export function snapshotRoutes(app: FastifyInstance, { issuer }: StreamParts): void {
  addSnapshot(app, issuer)
  endpoint(app, {
    ...streamOperations.getSsfStreamCheckpoint,
    run: async ({ db, organizationId, params }) => {
      const stream = orNotFound(await findStream(db, organizationId, params.streamId))
      return orNotFound(await takeCheckpoint(issuer, stream))
    },
  })
}

/** Registered without the kit's endpoint, because the answer has two forms. */
function addSnapshot(app: FastifyInstance, issuer: StreamParts['issuer']): void {
  const { permission, ...declared } = streamOperations.getSsfStreamSnapshot
  const operation = {
    ...declared,
    versions: apiVersions,
    access: permission,
    body: undefined,
    file: undefined,
    status: 200,
    search: undefined,
  }
  const { path, textParams } = declared
  const params = readParams(path, textParams)
  registerOperation(app, operation, 'GET', (version) => async (request, reply) => {
    const { organizationId } = request.principal ?? fail('unauthorized')
    // Validated against SsfSnapshotQuery before.
    const { cursor = '', per_page: perPage } = request.query as SsfSnapshotQuery
    const stream = orNotFound(await findStream(app.kit.db, organizationId, params(request.params).streamId))
    const asksForLines = request.headers.accept?.includes(lines) === true
    const { after, pageAfter } = pager(app, { stream, version, cursor, perPage })
    const asked = { stream, after, pageAfter, perPage: perPage ?? (asksForLines ? 1_000 : 100) }
    if (!asksForLines) return present(orNotFound(await takeSnapshot(issuer, asked)), cursor)
    return reply.type(lines).send(Readable.from(snapshotLines(issuer, asked), { highWaterMark: 1 }))
  })
}

type Place = { stream: Stream; version: ApiVersion; cursor: string; perPage: number | undefined }

function pager(app: FastifyInstance, { stream, version, cursor, perPage }: Place) {
  const { links, cursorKey } = app.kit
  const address = `/ssf_streams/${stream.stream_id}/snapshot`
  const scope = { organizationId: stream.organization_id, apiVersion: version, resource: address }
  const after = cursor === '' ? undefined : decodeCursor(cursor, scope, cursorKey).sortKey[0]
  return {
    after: after ?? undefined,
    pageAfter: (deviceId: string) => {
      const next = encodeCursor({ ...scope, sortKey: [deviceId], query: '' }, cursorKey)
      const size = perPage === undefined ? '' : `&per_page=${perPage}`
      return { cursor: next, url: links.url(`${address}?cursor=${next}${size}`) }
    },
  }
}

function present({ sequence, token, statuses, next }: SnapshotPage, cursor: string): SsfSnapshot {
  return {
    sequence,
    token,
    devices: statuses.map(({ deviceId, userEmail, status }) => ({
      device_id: deviceId,
      user_email: userEmail,
      current_status: status,
    })),
    pagination: {
      next: next?.url ?? '',
      current_cursor: cursor,
      next_cursor: next?.cursor ?? '',
      count: statuses.length,
    },
  }
}
