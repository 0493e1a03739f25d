import { sql } from 'kysely'
import { passedIdentifiers } from '../../base/db/pass-identifiers.ts'
import type { Tx } from '../../base/db/transact.ts'

/**
 * After a restore nobody knows which of the waiting events a receiver has, nor by which key they were signed when it
 * got them. So they wait under new names: no `jti` ever comes with other bytes. Numbers of streams move ahead,
 * so that no snapshot or checkpoint has the number of one that said something else, and the gap tells of the loss.
 */
export async function forgetWhatWasTold(tx: Tx): Promise<void> {
  await sql`
    update ssf_stream_events
    set jti = gen_random_uuid(), kid = case when token is null then kid end, token = null
    where state = 'pending'
  `.execute(tx)
  await sql`
    update ssf_stream_deliveries
    set last_sequence = last_sequence + ${passedIdentifiers}::bigint, leased_by = null, leased_until = null
  `.execute(tx)
}
