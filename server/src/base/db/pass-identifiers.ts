import { sql } from 'kysely'
import type { Tx } from './transact.ts'

/**
 * More than an installation gives out between a backup and its loss: a hundred thousand devices need a month for it.
 * Identifiers stay exact in JSON for nine million restores.
 */
export const passedIdentifiers = 1_000_000_000

/**
 * Lets what is made from now on have identifiers that a later state of this database, now lost, has not given to
 * something else: receivers know devices, issues and log entries by them.
 */
export async function passIdentifiers(tx: Tx): Promise<void> {
  await sql`
    select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + ${passedIdentifiers}::bigint)
    from pg_sequences where schemaname = 'public' and data_type = 'bigint'::regtype
  `.execute(tx)
}
