import type { Generated, Kysely, Transaction } from 'kysely'
import type { Db, Tx } from './transact.ts'

/** What `test-migrations/` makes, so that these tests need nothing of the product's schema. */
export interface TestSchema {
  entries: { id: Generated<string>; name: string; amount: Generated<number> }
}

export const testMigrations = new URL('./test-migrations/', import.meta.url)

// A connection's tables are the product's to the compiler; in these tests they are the ones above.
export const entriesOf = (db: Db): Kysely<TestSchema> => db as unknown as Kysely<TestSchema>
export const entriesIn = (tx: Tx): Transaction<TestSchema> => tx as unknown as Transaction<TestSchema>
