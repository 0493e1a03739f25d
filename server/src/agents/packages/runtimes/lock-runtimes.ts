import { sql } from 'kysely'
import type { Tx } from '../../../base/db/transact.ts'

const key = sql`hashtextextended('package runtimes', 0)`

/** Until the end of the transaction nobody else changes what packages bring or name. */
export const lockRuntimes = (tx: Tx) => sql`select pg_advisory_xact_lock(${key})`.execute(tx)

/** Until the end of the transaction nobody changes it, and others may hold it still with us. */
export const holdRuntimes = (tx: Tx) => sql`select pg_advisory_xact_lock_shared(${key})`.execute(tx)
