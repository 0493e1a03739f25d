import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ChangeContext } from '../../../base/change-context.ts'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Tx } from '../../../base/db/transact.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Stream } from '../queries.ts'
import { signalChannel } from '../queue-signals.ts'
import { listWithdrawnHeaders } from '../resign-tokens.ts'
import type { ReplayChoice } from './choose-replay.ts'

type Replay = { stream: Stream; choice: ReplayChoice; most?: number }

/** Bounds the transaction and its locks. */
const maxAtOnce = 10_000

/**
 * Lets settled events wait for the receiver once more, with their identifiers, numbers and tokens as they are. What
 * waits already is left alone, and what a withdrawn key signed is signed again. Returns how many, and the last one's id when there may be more.
 */
export async function replayEvents(
  tx: Tx,
  { stream, choice, most = maxAtOnce }: Replay,
  context: ChangeContext,
): Promise<{ count: number; goOnAfter: string | null }> {
  const { now } = context
  const { organization_id: organizationId, id: streamId } = stream
  const withdrawn = await listWithdrawnHeaders(tx, organizationId)
  const { rows } = await sql<{ count: string; last: string | null }>`
    with replayed as (
      update ssf_stream_events
      set state = 'pending', settled_at = null, held_until = null, error_code = null, error_description = null,
        replayed_at = ${now}::timestamptz,
        token = case when split_part(token, '.', 1) = any(${withdrawn}::text[]) then null else token end
      where ${inOrganization('ssf_stream_events', organizationId)}
        and ssf_stream_events.stream_id = ${streamId}::bigint and ssf_stream_events.id = any(array(
          select ssf_stream_events.id from ssf_stream_events
          where ${inOrganization('ssf_stream_events', organizationId)}
            and ssf_stream_events.stream_id = ${streamId}::bigint and ${isChosen(choice)}
          order by ssf_stream_events.id limit ${most}::integer
          for no key update
        ))
      returning ssf_stream_events.id
    )
    select count(*) as count, max(id) as last from replayed
  `.execute(tx)
  const [{ count, last } = { count: '0', last: null }] = rows
  if (count === '0') return { count: 0, goOnAfter: null }
  await sql`select pg_notify(${signalChannel}, ${organizationId})`.execute(tx)
  const events = count === '1' ? '1 event' : `${count} events`
  const description = `Replayed ${events} of the stream "${stream.name}".`
  await recordAudit(tx, { action: 'stream.events_replayed', about: { stream: streamId }, description }, context)
  return { count: Number(count), goOnAfter: Number(count) === most ? last : null }
}

/** Which events of a stream a choice is about. */
export function isChosen(choice: ReplayChoice): RawBuilder<SqlBool> {
  if (choice.kind === 'named') {
    return sql`ssf_stream_events.jti = any(${choice.jtis}::text[]) and ssf_stream_events.state <> 'pending'`
  }
  const { from, to, states, afterId } = choice
  return sql`ssf_stream_events.queued_at >= ${from}::timestamptz and ssf_stream_events.queued_at < ${to}::timestamptz
    and ssf_stream_events.state = any(${states}::text[]) and ssf_stream_events.kind = 'compliance_change'
    and ssf_stream_events.id > ${afterId}::bigint`
}
