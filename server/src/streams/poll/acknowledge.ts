import type { SsfPoll } from '@muster/contract/ssf-polls.ts'
import { sql } from 'kysely'
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
  await sql`
    update ssf_stream_events as event
    set state = case when settled.err is null then 'acknowledged' else 'rejected' end,
      settled_at = ${now}::timestamptz, error_code = settled.err, error_description = settled.description
    from unnest(
      ${settled.map(({ jti }) => jti)}::text[], ${settled.map(({ err }) => err)}::text[],
      ${settled.map(({ description }) => description)}::text[]
    ) as settled (jti, err, description)
    where event.organization_id = ${organizationId}::bigint and event.stream_id = ${streamId}::bigint
      and event.jti = settled.jti and event.state in ('pending', 'expired')
  `.execute(db)
}
