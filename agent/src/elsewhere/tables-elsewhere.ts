// By its path: where a package installs the agent, contract lies beside it and is no package.
import { osqueryColumns, osquerySchema } from '../../../contract/src/osquery-schema.ts'
import type { Table } from '../tables/table.ts'

const names = { darwin: 'macOS', linux: 'Linux', windows: 'Windows' } as const

/** The tables of osquery that Linux does not have: a query that reads one compiles, and is told where they are. */
export const tablesElsewhere: Table[] = Object.entries(osquerySchema.tables)
  .filter(([, { platforms }]) => !platforms.includes('linux'))
  .map(([name, { platforms }]) => ({
    name,
    columns: Object.fromEntries([...(osqueryColumns(name)?.keys() ?? [])].map((column) => [column, 'TEXT' as const])),
    notCollected: () => `a table of ${platforms.map((platform) => names[platform]).join(' and ')}`,
    collect: () => [],
  }))
