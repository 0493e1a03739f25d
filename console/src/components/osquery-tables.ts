import { columnsOf, tableNames } from '@muster/agent/simulate/table-columns.ts'
import type { SqlTable } from './sql-completion.ts'

const platforms = ['darwin', 'windows', 'linux'] as const

/** The tables of osquery that are known here, with the columns that they have on any platform. */
export const osqueryTables: readonly SqlTable[] = [...new Set(platforms.flatMap(tableNames))].map((name) => ({
  name,
  column_names: [...new Set(platforms.flatMap((platform) => columnsOf(platform, name) ?? []))],
}))
