import { sql } from 'kysely'
import type { IsolatedConnection } from '../../base/db/connect.ts'
import type { Db } from '../../base/db/transact.ts'
import { refuse } from './query-refused.ts'
import type { Mentions } from './size/size-of-query.ts'

/** A table of ours that a view reads: its primary key after the organization, whose columns are identifiers. */
type Source = {
  readonly table: string
  readonly key: readonly string[]
  /** The inventory table that its rows are of. */
  readonly reportingTable?: string
  /** A column of megabytes, left at its default unless the query names it. */
  readonly large?: string
}

const devices: Source = { table: 'devices', key: ['id'] }
const people: Source = { table: 'people', key: ['id'] }
const checks: Source = { table: 'checks', key: ['id'] }

const sourcesOfViews: Readonly<Record<string, readonly Source[]>> = {
  check_catalog: [checks, { table: 'check_configurations', key: ['check_id'] }],
  check_results: [
    checks,
    devices,
    { table: 'check_results', key: ['device_id', 'check_id'], large: 'rows' },
    { table: 'device_check_runs', key: ['device_id'] },
  ],
  check_issues: [checks, devices, { table: 'issues', key: ['id'] }],
  person_people: [people],
  person_groups: [
    people,
    { table: 'person_groups', key: ['id'] },
    { table: 'person_group_members', key: ['person_group_id', 'person_id'] },
  ],
  person_registered_devices: [people, devices, { table: 'device_presence', key: ['device_id'] }],
}

const sourcesOf = (reportingTable: string): readonly Source[] =>
  sourcesOfViews[reportingTable] ?? [
    devices,
    { table: 'device_snapshots', key: ['device_id'], reportingTable },
    { table: 'device_snapshot_rows', key: ['id'], reportingTable },
  ]

/** Rows of one statement, short enough that the others of the embedded database do not wait for it. */
const rowsPerPage = 200
/** Of all rows as JSON: the database in memory holds them as well. */
const maxBytes = 64_000_000

export type Load = {
  readonly from: Db
  readonly into: IsolatedConnection
  readonly organizationId: string
  readonly mentions: Mentions
}

/**
 * Puts the organization's rows of the reporting tables that a query names into the other database, in place of what it
 * held. Read page by page, so that what changes meanwhile is there in part. Throws QueryRefused when it is too much.
 */
export async function loadTables(load: Load): Promise<void> {
  const sources = new Map<string, Source>()
  for (const source of load.mentions.tables.flatMap(sourcesOf)) {
    sources.set(`${source.table}/${source.reportingTable ?? ''}`, source)
  }
  const tables = [...new Set(Array.from(sources.values(), ({ table }) => table))]
  if (tables.length === 0) return
  await load.into.executeScript(`truncate ${tables.join()}`)
  let left = maxBytes
  for (const source of sources.values()) left -= await copyTable(load, source, left)
  await load.into.executeScript(`analyze ${tables.join()}`)
}

/** Leaves no row of any organization. */
export async function emptyTables(into: IsolatedConnection): Promise<void> {
  const sources = [...Object.values(sourcesOfViews).flat(), ...sourcesOf('')]
  await into.executeScript(`truncate ${[...new Set(sources.map(({ table }) => table))].join()}`)
}

/** Returns how many bytes it was. */
async function copyTable(load: Load, source: Source, left: number): Promise<number> {
  let bytes = 0
  for (let after = source.key.map(() => '0'); ; ) {
    const page = await readPage(load, source, after)
    if (page.length === 0) return bytes
    bytes += page.reduce((sum, { content }) => sum + content.length, 0)
    if (bytes > left) {
      refuse(
        `The tables of the query have more than ${maxBytes / 1_000_000} MB, which the embedded database does not copy: run Muster on PostgreSQL.`,
      )
    }
    await insertPage(load, source, page)
    after = page.at(-1)?.key ?? []
    if (page.length < rowsPerPage) return bytes
  }
}

type Row = { content: string; key: string[] }

async function readPage({ from, organizationId, mentions }: Load, source: Source, after: string[]): Promise<Row[]> {
  const { table, key, reportingTable, large } = source
  const columns = sql.join(key.map((name) => sql.ref(`t.${name}`)))
  const isOfTable = reportingTable === undefined ? sql`true` : sql`t.reporting_table = ${reportingTable}`
  const left = large !== undefined && !mentions.mentions(large) ? sql`- ${large}::text` : sql``
  const { rows } = await sql<Row>`
    select (to_jsonb(t) ${left})::text as content, array[${columns}]::text[] as key
    from ${sql.table(table)} as t
    where t.organization_id = nullif(${organizationId}, '')::bigint and ${isOfTable}
      and (${columns}) > (${sql.join(after.map((one) => sql`${one}::bigint`))})
    order by ${columns} limit ${sql.lit(rowsPerPage)}`.execute(from)
  return rows
}

async function insertPage({ into, mentions }: Load, { table, large }: Source, page: readonly Row[]): Promise<void> {
  const rows = `[${page.map(({ content }) => content).join()}]`
  const base = large !== undefined && !mentions.mentions(large) ? `'{"${large}":[]}'::jsonb` : `'{}'::jsonb`
  await sql`
    insert into ${sql.table(table)}
    select made.* from jsonb_array_elements(${rows}::jsonb) as row (content),
      jsonb_populate_record(null::${sql.table(table)}, ${sql.raw(base)} || row.content) as made`.execute(into.db)
}
