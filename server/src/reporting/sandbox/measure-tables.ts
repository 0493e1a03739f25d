import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'
import type { Node } from './parse-select.ts'
import { refuse } from './query-refused.ts'
import type { Ledger } from './size/ledger.ts'
import { type Mentions, mentionsOf, sizeOfQuery } from './size/size-of-query.ts'
import { type TableMeasure, textColumns, unboundedColumns } from './size/table-relations.ts'

/** Columns that repeat a value of a smaller table of ours, which is quicker to measure than a view. */
const origins: Readonly<Record<string, readonly [table: string, column: string]>> = {
  ...{ check_name: ['checks', 'name'], check_slug: ['checks', 'slug'], slug: ['checks', 'slug'] },
  ...{ platforms: ['checks', 'platforms'], topics: ['checks', 'topics'] },
  ...{ device_name: ['devices', 'name'], operating_system: ['devices', 'operating_system'] },
  ...{ hardware_model: ['devices', 'hardware_model'], serial: ['devices', 'serial'] },
  ...{ person_name: ['people', 'name'], email: ['people', 'email'], usernames: ['people', 'usernames'] },
  group_name: ['person_groups', 'name'],
}

/**
 * The most that the query can take over what the organization has now: by what bounds its tables, or as soon as that
 * does not do, by what they hold. Throws QueryRefused when it is too much by `faultOf`. To be called before the role is
 * taken, in the transaction that runs the query, so that no row is added in between.
 */
export async function measureQuery(
  tx: Tx,
  organizationId: string,
  select: Node,
  faultOf: (ledger: Ledger) => string | undefined,
): Promise<Ledger> {
  const mentions = mentionsOf(select)
  const measures = new Map<string, TableMeasure>()
  for (const step of [undefined, measureOrigins, measureTables]) {
    if (step) await step(tx, organizationId, mentions, measures)
    const ledger = sizeOfQuery(select, measures)
    if (faultOf(ledger) === undefined) return ledger
  }
  return refuse(faultOf(sizeOfQuery(select, measures)) ?? 'The query could need too much memory.')
}

type Measures = Map<string, TableMeasure>

async function measureOrigins(tx: Tx, organizationId: string, { tables, mentions }: Mentions, into: Measures) {
  const known = new Map<string, number>()
  for (const table of tables) {
    const widths = new Map<string, number>()
    for (const column of unboundedColumns(table, mentions)) {
      const origin = origins[column]
      if (!origin) continue
      const [from, name] = origin
      const width = known.get(column) ?? (await longest(tx, organizationId, from, name))
      known.set(column, width)
      widths.set(column, width)
    }
    into.set(table, { widths })
  }
}

async function longest(tx: Tx, organizationId: string, table: string, column: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(max(octet_length(${sql.ref(column)}::text)), 0) as bytes from ${sql.table(table)}
    where organization_id = nullif(${organizationId}, '')::bigint`.execute(tx)
  return Number(rows[0]?.bytes ?? 0)
}

async function measureTables(tx: Tx, _organizationId: string, { tables, mentions }: Mentions, into: Measures) {
  for (const table of tables) {
    const columns = textColumns(table, mentions)
    const isInventory = table.startsWith('device_')
    const lengths = columns.map((name) => sql`max(octet_length(${sql.ref(name)}::text))`)
    const devices = isInventory ? sql`count(distinct device_id)` : sql`0`
    const { rows } = await sql<{ rows: string; devices: string; bytes: (number | null)[] }>`
      select count(*) as rows, ${devices} as devices, array[${sql.join([sql`0`, ...lengths])}] as bytes
      from ${sql.table(`reporting.${table}`)}`.execute(tx)
    const [found] = rows
    const widths = new Map(columns.map((name, at): [string, number] => [name, Number(found?.bytes[at + 1] ?? 0)]))
    into.set(table, {
      rows: Number(found?.rows ?? 0),
      widths,
      hasOneRowPerDevice: isInventory && found?.devices === found?.rows,
    })
  }
}
