import { osqueryColumns, osquerySchema } from '@muster/contract/osquery-schema.ts'
import type { SqlTable } from './sql-completion.ts'

/** The tables of osquery with the columns that they have on any platform; the shortest first, so that `process` offers `processes`. */
export const osqueryTables: readonly SqlTable[] = Object.keys(osquerySchema.tables)
  .toSorted((one, other) => one.length - other.length)
  .map((name) => ({ name, column_names: [...(osqueryColumns(name)?.keys() ?? [])] }))
