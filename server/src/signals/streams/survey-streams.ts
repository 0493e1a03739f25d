import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

export type FailingStream = { id: string; name: string; since: string; error: string }

export type StreamSurvey = {
  /** Streams of all organizations. */
  count: number
  failingCount: number
  /** Some of them, those that have failed for the longest time first. */
  failing: FailingStream[]
  /** That are on and polled, without any valid token to poll with. */
  withoutToken: number
  /** When the oldest of the keys that sign now began to; null where none does. */
  signingSince: string | null
}

const maxListed = 5

/** How all streams of the deployment stand, for its operator. */
export async function surveyStreams(db: Db, now: string): Promise<StreamSurvey> {
  const { rows } = await sql<Omit<StreamSurvey, 'failing' | 'signingSince'>>`
    select count(*)::integer as count,
      (count(*) filter (where ${isFailing}))::integer as "failingCount",
      (count(*) filter (where ssf_streams.status = 'enabled' and delivery_type = 'poll' and not needs_no_poll_token
        and not exists (
          select from ssf_poll_tokens as token
          where token.organization_id = ssf_streams.organization_id and token.stream_id = ssf_streams.id
            and (token.valid_until is null or token.valid_until > ${now}::timestamptz)
        )))::integer as "withoutToken"
    from ${streamsWithHeads}`.execute(db)
  const { rows: failing } = await sql<FailingStream>`
    select ssf_streams.id, ssf_streams.name, head.failing_since as since, coalesce(head.last_error, '') as error
    from ${streamsWithHeads} and ${isFailing}
    order by head.failing_since limit ${sql.lit(maxListed)}`.execute(db)
  const { rows: keys } = await sql<{ since: string | null }>`
    select min(active_from) as since from signing_keys
    where purpose = 'signals' and withdrawn_at is null and active_from <= ${now}::timestamptz
      and (retired_at is null or retired_at > ${now}::timestamptz)`.execute(db)
  const [counts = { count: 0, failingCount: 0, withoutToken: 0 }] = rows
  return { ...counts, failing, signingSince: keys[0]?.since ?? null }
}

const streamsWithHeads = sql`ssf_streams
    join ssf_stream_deliveries as head
      on head.organization_id = ssf_streams.organization_id and head.stream_id = ssf_streams.id
    where ssf_streams.deleted_at is null`

const isFailing = sql`(ssf_streams.status = 'enabled' and delivery_type = 'push' and head.failing_since is not null)`
