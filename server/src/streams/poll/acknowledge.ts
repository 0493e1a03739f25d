import type { SsfPoll } from '@muster/contract/ssf-polls.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../db/in-organization.ts'
import type { Db } from '../../db/transact.ts'

type Polled = { organizationId: string; streamId: string; now: string }

/**
 * Settles what the receiver has taken in, and what it cannot take in (RFC 8936 §2.4.3, §2.6). Committed when it
 * resolves, so that an answer to the acknowledgement is never taken back. What is settled already stays as it is.
 */
export async function acknowledge(
  db: Db,
  { organizationId, streamId, now }: Polled,
  { ack = [], setErrs = {} }: Pick<SsfPoll, 'ack' | 'setErrs'>,
): Promise<void> {
  const errors = Object.entries(setErrs)
  const taken = ack.filter((jti) => !Object.hasOwn(setErrs, jti)).map((jti) => ({ jti, err: null, description: null }))
  const refused = errors.map(([jti, { err, description = '' }]) => ({ jti, err, description }))
  const settled = [...taken, ...refused]
  if (settled.length === 0) return
  const { rows } = await sql<{ state: string }>`
    update ssf_stream_events as event
    set state = case when settled.err is null then 'acknowledged' else 'rejected' end,
      settled_at = ${now}::timestamptz, error_code = settled.err, error_description = settled.description
    from unnest(
      ${settled.map(({ jti }) => jti)}::text[], ${settled.map(({ err }) => err)}::text[],
      ${settled.map(({ description }) => description)}::text[]
    ) as settled (jti, err, description)
    where event.organization_id = ${organizationId}::bigint and event.stream_id = ${streamId}::bigint
      and event.jti = settled.jti and event.state in ('pending', 'expired')
    returning event.state
  `.execute(db)
  if (rows.some(({ state }) => state === 'acknowledged')) await noteTaken(db, { organizationId, streamId, now })
}

/** By itself: whoever numbers events holds this row first and events after it. */
const noteTaken = (db: Db, { organizationId, streamId, now }: Polled) =>
  db
    .updateTable('ssf_stream_deliveries')
    .set({ last_delivered_at: now })
    .where(inOrganization('ssf_stream_deliveries', organizationId))
    .where('stream_id', '=', streamId)
    .where((where) => where.or([where('last_delivered_at', 'is', null), where('last_delivered_at', '<', now)]))
    .execute()
