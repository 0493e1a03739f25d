import type { ReportingTable, TableColumn } from './reporting-table.ts'

const block = /(<!-- tables:start -->)[\s\S]*?(<!-- tables:end -->)/

/** The text with its description of the tables brought up to date; undefined when it has no markers. */
export function withTables(text: string, tables: readonly ReportingTable[]): string | undefined {
  if (!block.test(text)) return undefined
  const described = byCategory(tables).map(([category, some]) => [`### ${category}`, ...some.map(section)].join('\n\n'))
  return text.replace(block, (_, start: string, end: string) => `${start}\n\n${described.join('\n\n')}\n\n${end}`)
}

const sqlTypes: Readonly<Record<TableColumn['type'], string>> = { text: 'text', integer: 'bigint', time: 'timestamptz' }

const byCategory = (tables: readonly ReportingTable[]) =>
  [...Map.groupBy(tables, ({ category }) => category)].sort(([one], [other]) => (one < other ? -1 : 1))

function section(table: ReportingTable): string {
  const { name, description, aboutPeople } = table
  const columns = table.columns.map(
    (column) => `| \`${column.name}\` | ${sqlTypes[column.type]} | ${column.description} |`,
  )
  return [
    `#### ${name}`,
    [description, origin(table)].filter((text) => text !== '').join(' '),
    ...(aboutPeople === undefined ? [] : [`*About people:* ${aboutPeople}`]),
    ['| column | type in SQL | holds |', '|---|---|---|', ...columns].join('\n'),
  ].join('\n\n')
}

const platformNames = { darwin: 'macOS', linux: 'Linux', windows: 'Windows' } as const

function origin(table: ReportingTable): string {
  if (table.kind === 'view') return ''
  const names = (['darwin', 'linux', 'windows'] as const).filter((platform) => platform in table.queries)
  const hours = table.intervalSeconds / 3_600
  return `${names.map((name) => platformNames[name]).join(', ')}; ${hours === 1 ? 'every hour' : `every ${hours} hours`}.`
}
