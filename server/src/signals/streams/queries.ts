import { type SqlBool, sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const largestId = 9_223_372_036_854_775_807n

const fromStreams = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('ssf_streams')
    .where(inOrganization('ssf_streams', organizationId))
    .where('ssf_streams.deleted_at', 'is', null)

/** Which column a reference to a stream is about; undefined for what is neither `id` nor `stream_id`. */
export function columnOf(reference: string): 'ssf_streams.id' | 'ssf_streams.stream_id' | undefined {
  if (/^\d{1,19}$/.test(reference) && BigInt(reference) <= largestId) return 'ssf_streams.id'
  return uuid.test(reference) ? 'ssf_streams.stream_id' : undefined
}

export type Stream = NonNullable<Awaited<ReturnType<typeof findStream>>>

/** A stream by its `id` or its `stream_id`; what is neither finds nothing. */
export async function findStream(reader: Reader, organizationId: string, reference: string) {
  const column = columnOf(reference)
  if (!column) return undefined
  return fromStreams(reader, organizationId).selectAll('ssf_streams').where(column, '=', reference).executeTakeFirst()
}

/** The same, locked until the transaction ends. */
export async function lockStream(tx: Tx, organizationId: string, reference: string): Promise<Stream | undefined> {
  const column = columnOf(reference)
  if (!column) return undefined
  return (
    fromStreams(tx, organizationId)
      .selectAll('ssf_streams')
      .where(column, '=', reference)
      // Not so strong that events could not be queued meanwhile, whose rows refer to the stream.
      .forNoKeyUpdate()
      .executeTakeFirst()
  )
}

/** What the tokens of a stream said before, while they had another issuer; undefined where they never had. */
export const findFormerSettings = (reader: Reader, stream: Stream) =>
  settingsOf(reader, stream)
    .select(['issuer', 'audience'])
    .where((build) =>
      build(
        'issuer',
        '<>',
        settingsOf(reader, stream)
          .select('issuer')
          .where('id', '=', stream.token_settings_id ?? 0),
      ),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Every issuer that tokens of a stream have had. */
export async function listIssuers(reader: Reader, stream: Stream): Promise<string[]> {
  const rows = await settingsOf(reader, stream).select('issuer').distinct().execute()
  return rows.map(({ issuer }) => issuer)
}

const settingsOf = (reader: Reader, { organization_id: organizationId, id }: Stream) =>
  reader
    .selectFrom('ssf_token_settings')
    .where(inOrganization('ssf_token_settings', organizationId))
    .where('stream_id', '=', id)

const oldestFirst: Keyset = { id: { column: 'ssf_streams.id', type: 'bigint' }, direction: 'asc' }

const canBePolled = (now: string) =>
  sql<SqlBool>`ssf_streams.needs_no_poll_token or exists (
    select from ssf_poll_tokens as token
    where token.organization_id = ssf_streams.organization_id and token.stream_id = ssf_streams.id
      and (token.valid_until is null or token.valid_until > ${now}::timestamptz)
  )`.as('can_be_polled')

const withHealth = (reader: Reader, organizationId: string, now: string) =>
  fromStreams(reader, organizationId)
    .innerJoin('ssf_stream_deliveries as head', (join) =>
      join
        .onRef('head.organization_id', '=', 'ssf_streams.organization_id')
        .onRef('head.stream_id', '=', 'ssf_streams.id'),
    )
    .selectAll('ssf_streams')
    .select(['head.failing_since', 'head.last_error', 'head.last_delivered_at', canBePolled(now)])

export type StreamRecord = NonNullable<Awaited<ReturnType<typeof findStreamRecord>>>

/** A stream and how its receiver stands. */
export async function findStreamRecord(reader: Reader, organizationId: string, reference: string, now: string) {
  const column = columnOf(reference)
  if (!column) return undefined
  return withHealth(reader, organizationId, now).where(column, '=', reference).executeTakeFirst()
}

export const listStreams = (reader: Reader, { organizationId, after, limit, now }: ListPage): Promise<StreamRecord[]> =>
  withHealth(reader, organizationId, now)
    .$call(nextRows(oldestFirst, after, limit))
    .execute()

const maxListed = 1_000

/** The streams that a key created, the oldest first: what is available to a receiver with its access token (SSF 1.0 §8.1.1.2). */
export const listStreamsOfKey = (reader: Reader, organizationId: string, keyId: string, now: string) =>
  withHealth(reader, organizationId, now)
    .where('ssf_streams.created_by_key_id', '=', keyId)
    .orderBy('ssf_streams.id')
    .limit(sql.lit(maxListed))
    .execute()
