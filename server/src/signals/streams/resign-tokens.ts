import { sql } from 'kysely'
import type { Reader, Tx } from '../../base/db/transact.ts'
import type { KeyRing } from '../../keys/key-purposes.ts'
import { notifyStreams } from './notify-streams.ts'
import { lockHeads, type StreamKey } from './number-events.ts'
import { headerOf } from './token-header.ts'

/**
 * Takes the tokens that withdrawn keys signed from what waits: the next delivery signs it again, with the same jti and
 * claims. Deliverers are told at the commit. Returns how many tokens that were.
 *
 * Whoever stores tokens holds the lock on the heads of their streams and looks for withdrawn keys under it; so a token
 * of a withdrawn key is either stored before, and removed here, or not stored. An event that names the key and is
 * committed later is signed with another key as well: a reader sees that its key was withdrawn.
 */
export async function resignTokens(tx: Tx, ring: KeyRing, kids: readonly string[], now: string): Promise<number> {
  const { organizationId, purpose } = ring
  // Nothing waits of what other keys sign.
  if (purpose !== 'signals') return 0
  const streams = await lockHeads(tx, await listStreamsOf(tx, organizationId))
  const count = await forgetTokens(tx, streams, kids)
  if (streams.length > 0) await notifyStreams(tx, organizationId)
  await sql`
    update ssf_streams set resigned_at = ${now}::timestamptz
    where (organization_id, id) in (select organization_id, id from ${keysOf(streams)})
  `.execute(tx)
  return count
}

const keysOf = (streams: readonly StreamKey[]) => sql`unnest(
  ${streams.map(({ organizationId }) => organizationId)}::bigint[], ${streams.map(({ streamId }) => streamId)}::bigint[]
) as key (organization_id, id)`

const listStreamsOf = (tx: Tx, organizationId: string): Promise<StreamKey[]> =>
  tx
    .selectFrom('ssf_streams')
    .select(['organization_id as organizationId', 'id as streamId'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .execute()

async function forgetTokens(tx: Tx, streams: readonly StreamKey[], kids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update ssf_stream_events as event set token = null, kid = null
    from ${keysOf(streams)}
    where event.organization_id = key.organization_id and event.stream_id = key.id and event.state = 'pending'
      and (split_part(event.token, '.', 1) = any(${kids.map((kid) => headerOf(kid))}::text[])
        or (event.token is null and event.kid = any(${kids}::text[])))
  `.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Headers of tokens that an organization's streams must not send again. */
export async function listWithdrawnHeaders(reader: Reader, organizationId: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('signing_keys')
    .select('kid')
    .where('organization_id', '=', organizationId)
    .where('purpose', '=', 'signals')
    .where('withdrawn_at', 'is not', null)
    .execute()
  return rows.map(({ kid }) => headerOf(kid))
}
