import { osqueryColumns, osquerySchema } from '@muster/contract/osquery-schema.ts'
import type { SqlTable } from './sql-completion.ts'

/** The tables of osquery with the columns that they have on any platform. */
export const osqueryTables: readonly SqlTable[] = Object.keys(osquerySchema.tables).map((name) => ({
  name,
  column_names: [...(osqueryColumns(name)?.keys() ?? [])],
}))
