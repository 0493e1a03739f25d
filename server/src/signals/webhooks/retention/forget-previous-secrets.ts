import { sql } from 'kysely'
import type { Db } from '../../../base/db/transact.ts'

/** Removes secrets that sign no more. */
export async function forgetPreviousSecrets(db: Db, now: string): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ sealed_previous_secret: null, previous_secret_until: null })
    .where('previous_secret_until', '<=', sql<string>`${now}::timestamptz`)
    .execute()
}
