import { sql } from 'kysely'
import type { Db, Tx } from '../base/db/transact.ts'

/**
 * Why the database refuses writes, as a sentence for operators; undefined when it takes them. The embedded engine makes
 * itself read-only when its disk is nearly full; PostgreSQL is while it is a standby or set to be.
 */
export async function describeRefusedWrites(db: Db | Tx): Promise<string | undefined> {
  const { rows } = await sql<{ isReadOnly: boolean; isStandby: boolean }>`
    select current_setting('transaction_read_only')::boolean as "isReadOnly", pg_is_in_recovery() as "isStandby"`.execute(
    db,
  )
  const [{ isReadOnly, isStandby } = { isReadOnly: true, isStandby: false }] = rows
  if (isStandby) return 'The database is a standby and refuses writes. Connect to the primary.'
  if (isReadOnly) return 'The database refuses writes: its disk is nearly full, or it is set to read-only.'
  return undefined
}
