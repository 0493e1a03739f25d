import { reportingTables } from '../../catalogue/catalogue.ts'
import { maxRowLength, maxValueLength } from '../../read-snapshot.ts'
import { columnsOf, type ReportingTable } from '../../reporting-table.ts'
import type { Key, Relation } from './size.ts'

/** A reporting table, with how many sorts and stores its view may need. */
export type TableRelation = Relation & { readonly areas: number }

/** What a table holds for the organization of the query, as far as it was measured. */
export type TableMeasure = {
  readonly rows?: number
  /** Bytes of the longest value of each column that was measured. */
  readonly widths: ReadonlyMap<string, number>
  /** Whether no two rows are of one device. */
  readonly hasOneRowPerDevice?: boolean
}

/** A join within a view may sort both sides and store one. */
const areasOfJoin = 3
const joinsOfView: Readonly<Record<string, number>> = {
  ...{ check_catalog: 1, check_results: 3, check_issues: 2, person_people: 0, person_groups: 2 },
  person_registered_devices: 2,
}
const joinsOfInventory = 2

const keys: Readonly<Record<string, readonly Key[]>> = {
  check_catalog: [['check_id']],
  check_results: [['check_id', 'device_id']],
  check_issues: [['issue_id']],
  person_people: [['person_id']],
  person_groups: [['person_id', 'group_id']],
  person_registered_devices: [['device_id']],
}

/** A UTF-16 unit has up to three bytes in UTF-8. */
const bytesPerUnit = 3
/** Words of Muster's own, such as the status of a check. */
const word = 60
/** The longest name of a check's column, and its longest value (see the rules of checks and of agents). */
const [maxColumnLength, maxCellLength] = [4_096 * bytesPerUnit, 4_096 * bytesPerUnit]

/** Columns that Muster itself bounds, other than those of inventory; the rest is measured. */
const declared: Readonly<Record<string, number>> = {
  ...{ status: word, auth_state: word, remediation_strategy: word, type: word, device_type: word },
  ...{
    paused: word,
    exempted: word,
    issue_key: maxColumnLength,
    issue_value: maxCellLength,
    error_message: maxCellLength,
  },
  exemption_reason: 5_000 * 4,
}

function declaredWidth(table: ReportingTable, { name, type }: { name: string; type: string }): number {
  if (type === 'integer') return 20
  if (type === 'time') return 40
  if (table.kind === 'inventory' && table.columns.some((column) => column.name === name)) {
    return Math.min(maxValueLength, maxRowLength) * bytesPerUnit
  }
  return declared[name] ?? Number.POSITIVE_INFINITY
}

/** Columns that have no bound of their own and are to be measured before the query is judged. */
export function unboundedColumns(table: string, mentioned: (column: string) => boolean): string[] {
  const found = reportingTables.find(({ name }) => name === table)
  if (!found) return []
  return columnsOf(found)
    .filter((column) => mentioned(column.name) && declaredWidth(found, column) === Number.POSITIVE_INFINITY)
    .map(({ name }) => name)
}

/** All columns of a text, which can be measured more closely than they are bounded. */
export function textColumns(table: string, mentioned: (column: string) => boolean): string[] {
  const found = reportingTables.find(({ name }) => name === table)
  return (found ? columnsOf(found) : [])
    .filter(({ name, type }) => type === 'text' && mentioned(name))
    .map(({ name }) => name)
}

/**
 * The table with the columns that the query mentions, by what was measured of it and by what Muster itself bounds.
 * A list takes more in the database than as text.
 */
export function relationOfTable(
  name: string,
  mentioned: (column: string) => boolean,
  measure: TableMeasure = { widths: new Map() },
): TableRelation {
  const table = reportingTables.find((one) => one.name === name)
  const columns = new Map<string, number>()
  for (const column of table ? columnsOf(table) : []) {
    if (!mentioned(column.name)) continue
    const width = measure.widths.get(column.name) ?? (table ? declaredWidth(table, column) : 0)
    columns.set(column.name, lists.has(column.name) ? 4 * width + 32 : width)
  }
  return {
    columns,
    rows: measure.rows ?? Number.POSITIVE_INFINITY,
    keys: keys[name] ?? (measure.hasOneRowPerDevice ? [['device_id']] : []),
    areas: areasOfJoin * (joinsOfView[name] ?? joinsOfInventory),
  }
}

const lists = new Set(['usernames', 'platforms', 'topics'])

/** The least that the table can be: one row of short values. */
export function smallestTable(name: string, mentioned: (column: string) => boolean): TableRelation {
  const relation = relationOfTable(name, mentioned)
  return { ...relation, rows: 1, columns: new Map(Array.from(relation.columns.keys(), (column) => [column, 1])) }
}
