import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../../base/db/transact.ts'
import { lockHeads, type StreamKey } from '../number-events.ts'

/** What came of one attempt. */
export type Outcome = StreamKey & {
  eventId: string
  state: 'pending' | 'delivered' | 'rejected'
  heldUntil: string | null
  errorCode: string | null
  errorDescription: string | null
  attemptedAt: string
  durationMs: number
  status: number | null
  error: string | null
  /** The key of a token that was rejected. */
  rejectedKid: string | null
}

/** How a receiver stands. */
export type Standing = StreamKey & {
  heldUntil: string | null
  failures: number
  failingSince: string | null
  lastError: string | null
  /** Null: nothing was delivered since it was last written. */
  lastDeliveredAt: string | null
}

/**
 * Writes what came of attempts, gives what is settled its number, and writes how the receivers stand. What was settled
 * otherwise meanwhile, or is gone, stays as it is, and so does how the receiver of a stream stands that another process
 * delivers by now.
 */
export const writeOutcomes = (
  db: Db,
  holder: string,
  outcomes: readonly Outcome[],
  standings: readonly Standing[],
): Promise<void> =>
  transact(db, async (tx) => {
    // Held for the numbers, and so that another numbering does not wait for these events too.
    await lockHeads(tx, [...outcomes, ...standings])
    await write(tx, holder, outcomes, standings)
  })

async function write(
  tx: Tx,
  holder: string,
  outcomes: readonly Outcome[],
  standings: readonly Standing[],
): Promise<void> {
  const ours = (name: string) =>
    sql`case when news.failures is not null and head.leased_by = ${holder}
      then ${sql.ref(`news.${name}`)} else ${sql.ref(`head.${name}`)} end`
  const column = <T extends object, Name extends keyof T>(rows: readonly T[], name: Name) =>
    rows.map((row) => row[name])
  await sql`
    with outcome as (
      select * from unnest(
        ${column(outcomes, 'organizationId')}::bigint[], ${column(outcomes, 'streamId')}::bigint[],
        ${column(outcomes, 'eventId')}::bigint[], ${column(outcomes, 'state')}::text[],
        ${column(outcomes, 'heldUntil')}::timestamptz[], ${column(outcomes, 'errorCode')}::text[],
        ${column(outcomes, 'errorDescription')}::text[], ${column(outcomes, 'attemptedAt')}::timestamptz[],
        ${column(outcomes, 'durationMs')}::integer[], ${column(outcomes, 'status')}::integer[],
        ${column(outcomes, 'error')}::text[], ${column(outcomes, 'rejectedKid')}::text[]
      ) as outcome (organization_id, stream_id, event_id, state, held_until, error_code, error_description,
        attempted_at, duration_ms, status, error, rejected_kid)
    ), judged as (
      -- A token whose key was withdrawn while it was under way is rejected for that: its event is signed again.
      select outcome.*, withdrawn.kid is not null as is_resigned
      from outcome left join lateral (
        select kid from signing_keys
        where organization_id = outcome.organization_id
          and kid = outcome.rejected_kid and withdrawn_at is not null
        limit 1
      ) as withdrawn on true
    ), settled as (
      select event.organization_id, event.stream_id, event.id, head.last_sequence
          + row_number() over (partition by event.organization_id, event.stream_id order by event.id) as place
      from judged
      -- Without statistics few events are taken to wait, and all would be read for each: the order names the index.
      cross join lateral (
        select * from ssf_stream_events as next
        where next.organization_id = judged.organization_id and next.stream_id = judged.stream_id
          and next.id >= judged.event_id
        order by next.id limit 1
      ) as event
      join ssf_stream_deliveries as head
        on head.organization_id = event.organization_id and head.stream_id = event.stream_id
      where event.id = judged.event_id and judged.state <> 'pending' and not judged.is_resigned and event.state = 'pending' and event.sequence is null
    ), written as (
      update ssf_stream_events as event
      set state = case when outcome.is_resigned then 'pending' else outcome.state end,
        sequence = coalesce(event.sequence, settled.place),
        attempts = event.attempts + 1, held_until = outcome.held_until,
        settled_at = case when outcome.state <> 'pending' and not outcome.is_resigned
          then outcome.attempted_at + outcome.duration_ms * interval '1 millisecond' end,
        error_code = outcome.error_code, error_description = outcome.error_description
      from judged as outcome left join settled
        on settled.organization_id = outcome.organization_id and settled.stream_id = outcome.stream_id
          and settled.id = outcome.event_id
      where event.organization_id = outcome.organization_id and event.stream_id = outcome.stream_id
        and event.id = outcome.event_id
        and (event.state = 'pending' or (event.state = 'expired' and outcome.state = 'delivered'))
      returning event.organization_id, event.stream_id, event.id
    ), attempts as (
      insert into ssf_attempts (organization_id, stream_id, event_id, attempted_at, duration_ms, status, error)
      select outcome.organization_id, outcome.stream_id, outcome.event_id, outcome.attempted_at, outcome.duration_ms,
        outcome.status, outcome.error
      from outcome join written
        on written.organization_id = outcome.organization_id and written.stream_id = outcome.stream_id
        and written.id = outcome.event_id
    )
    update ssf_stream_deliveries as head
    set last_sequence = coalesce(news.place, head.last_sequence), held_until = ${ours('held_until')},
      failures = ${ours('failures')}, failing_since = ${ours('failing_since')}, last_error = ${ours('last_error')},
      last_delivered_at = coalesce(${ours('last_delivered_at')}, head.last_delivered_at)
    from (
      select * from unnest(
        ${column(standings, 'organizationId')}::bigint[], ${column(standings, 'streamId')}::bigint[],
        ${column(standings, 'heldUntil')}::timestamptz[], ${column(standings, 'failures')}::integer[],
        ${column(standings, 'failingSince')}::timestamptz[], ${column(standings, 'lastError')}::text[],
        ${column(standings, 'lastDeliveredAt')}::timestamptz[]
      ) as standing (organization_id, stream_id, held_until, failures, failing_since, last_error, last_delivered_at)
      full join (
        select organization_id, stream_id, max(place) as place from settled group by 1, 2
      ) as last using (organization_id, stream_id)
    ) as news
    where head.organization_id = news.organization_id and head.stream_id = news.stream_id
      and (news.place is not null or head.leased_by = ${holder})
  `.execute(tx)
}
