import type { Connection } from './connect.ts'

/**
 * Has the planner look at the product's tables, as autovacuum does some minutes after many rows have come. One statement outside
 * a transaction: each table is done by itself, and what was done stays when the time of a statement is over.
 */
export async function analyzeTables({ executeScript }: Connection): Promise<void> {
  const tables = await executeScript(`
    select oid::regclass::text as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`)
  if (tables.length > 0) await executeScript(`analyze ${tables.map(({ name }) => name).join()}`)
}
