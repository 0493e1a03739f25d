import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { audienceOf } from '../../signals/streams/audience.ts'
import { deleteStream } from '../../signals/streams/delete-stream.ts'
import { moveStream } from '../../signals/streams/move-stream.ts'
import { findStream, findStreamRecord } from '../../signals/streams/queries.ts'
import { setStreamStatus } from '../../signals/streams/set-stream-status.ts'
import { streamIssuer } from '../../signals/streams/stream-issuer.ts'
import { implement, type Run } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { everyStream } from '../streams/every-stream.ts'
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
  async list(context, args, io) {
    const { id: organizationId } = await organizationOf(context.connection.db, args.organization)
    const rows = (await everyStream(context, organizationId)).map((stream) => {
      const { health, delivery_type: type, delivery } = stream
      const trouble = health.failing_since === null ? null : `since ${health.failing_since}: ${health.last_error}`
      return [
        stream.id,
        stream.name,
        type,
        hostOf(delivery.endpoint_url),
        stream.status,
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

  async move(context, { organization: named, stream: reference }, io) {
    const { connection, secrets, config, now } = context
    const { db } = connection
    const { id: organizationId } = await organizationOf(db, named)
    await ensureSigningKey(db, secrets, { organizationId, purpose: 'signals' }, now)
    const streams = reference === undefined ? await everyStream(context, organizationId) : [{ id: reference }]
    const { baseUrl, ssfPathIssuers: pathIssuers } = config
    const change = terminalChange(organizationId, now)
    for (const { id } of streams) {
      const isMoved = await transact(db, (tx) => moveStream(tx, { baseUrl, pathIssuers, reference: id }, change))
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
