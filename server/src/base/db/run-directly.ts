import { CompiledQuery } from 'kysely'
import type { DirectStatements } from './direct-statements.ts'
import { type Db, refuseInsideTransaction } from './transact.ts'

const directOf = new WeakMap<Db, DirectStatements>()

/** Has the statements of a database that are given as text go past the query builder. */
export function goDirectly(db: Db, statements: DirectStatements): void {
  directOf.set(db, statements)
}

/** One statement outside a transaction. */
export async function runDirectly<Row>(db: Db, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  refuseInsideTransaction()
  // Only the author of a statement knows its columns, as with the query builder's own raw queries.
  return ((await directOf.get(db)?.run(text, parameters)) ?? (await execute(db, text, parameters))) as Row[]
}

/**
 * One read outside a transaction. Where all connections are in use it also waits for others of its party: those that may take long
 * belong to one party for each organization.
 */
export async function readDirectly<Row>(db: Db, party: string, text: string, parameters: readonly unknown[]) {
  refuseInsideTransaction()
  const rows = (await directOf.get(db)?.read(party, text, parameters)) ?? (await execute(db, text, parameters))
  return rows as Row[]
}

const execute = async (db: Db, text: string, parameters: readonly unknown[]) =>
  (await db.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows
