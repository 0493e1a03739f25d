import { type Db, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { audienceOf } from '../../signals/streams/audience.ts'
import { authorizationReader } from '../../signals/streams/authorization-header.ts'
import { deleteStream } from '../../signals/streams/delete-stream.ts'
import { moveStream } from '../../signals/streams/move-stream.ts'
import { presentStream } from '../../signals/streams/present.ts'
import { findStream, findStreamRecord, listStreams, type StreamRecord } from '../../signals/streams/queries.ts'
import { setStreamStatus } from '../../signals/streams/set-stream-status.ts'
import { streamIssuer } from '../../signals/streams/stream-issuer.ts'
import { implement, type Run } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns, plainText } from '../table.ts'
import { createStreamOf } from './create-stream-command.ts'
import { streamGroup } from './stream-group.ts'
import { tailStreams } from './tail-streams-command.ts'

const setStatus =
  (status: 'enabled' | 'paused' | 'disabled'): Run<typeof streamGroup.commands.enable> =>
  async ({ connection, now }, { organization: named, stream: streamId, reason = null }, io) => {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const change = { streamId, status, reason, by: 'admin' } as const
    const { name } = await transact(connection.db, (tx) =>
      setStreamStatus(tx, change, terminalChange(organizationId, now)),
    )
    await io.line(`The stream "${plainText(name)}" is ${status}`)
  }

export const streamCommands = implement(streamGroup, {
  async list({ connection, secrets, config, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const presenting = { baseUrl: config.baseUrl, authorizationOf: authorizationReader(secrets) }
    const rows = (await everyStream(connection.db, organizationId, now)).map((row) => {
      const { health, delivery_type: type, delivery } = presentStream(row, presenting)
      const trouble = health.failing_since === null ? null : `since ${health.failing_since}: ${health.last_error}`
      return [
        row.id,
        row.name,
        type,
        hostOf(delivery.endpoint_url),
        row.status,
        health.state,
        health.last_delivered_at,
        trouble,
      ]
    })
    const heads = ['ID', 'NAME', 'DELIVERY', 'RECEIVER', 'STATUS', 'HEALTH', 'LAST DELIVERED', 'TROUBLE']
    for (const line of alignColumns(heads, rows)) await io.line(line)
  },

  add: createStreamOf,
  enable: setStatus('enabled'),
  pause: setStatus('paused'),
  disable: setStatus('disabled'),
  tail: tailStreams,

  async move({ connection: { db }, secrets, config, now }, { organization: named, stream: reference }, io) {
    const { id: organizationId } = await organizationOf(db, named)
    await ensureSigningKey(db, secrets, { organizationId, purpose: 'signals' }, now)
    const streams = reference === undefined ? await everyStream(db, organizationId, now) : [{ id: reference }]
    const { baseUrl, ssfPathIssuers: pathIssuers } = config
    const context = terminalChange(organizationId, now)
    for (const { id } of streams) {
      const isMoved = await transact(db, (tx) => moveStream(tx, { baseUrl, pathIssuers, reference: id }, context))
      const moved = orNotFound(await findStream(db, organizationId, id))
      const { issuer, jwksUri } = streamIssuer(moved.issuer, baseUrl)
      const aud = audienceOf(moved, streamIssuer(moved.issuer, baseUrl).baseUrl)
      await io.line(`"${plainText(moved.name)}" ${isMoved ? 'is moved' : 'was there already'}. Its receiver needs:`)
      for (const line of alignColumns(['  ISSUER', 'KEYS', 'AUDIENCE'], [[`  ${issuer}`, jwksUri, aud]]))
        await io.line(line)
    }
    await io.error('Events that were queued before keep their issuer and keys, which stay published for 31 days.')
  },

  async delete({ connection, now }, { organization: named, stream: reference }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const { name } = orNotFound(await findStreamRecord(connection.db, organizationId, reference, now))
    await transact(connection.db, (tx) => deleteStream(tx, { reference }, terminalChange(organizationId, now)))
    await io.line(`Deleted the stream "${plainText(name)}", with the events that were waiting`)
  },
})

/** Paths of receivers may hold secrets. */
const hostOf = (url: string): string => new URL(url).host

async function everyStream(db: Db, organizationId: string, now: string): Promise<StreamRecord[]> {
  const limit = 100
  const streams: StreamRecord[] = []
  for (;;) {
    const after = streams.at(-1)?.id
    const page = { organizationId, params: {}, search: undefined, after, limit, order: 'ascending', now } as const
    const rows = await listStreams(db, page)
    streams.push(...rows)
    if (rows.length < limit) return streams
  }
}
