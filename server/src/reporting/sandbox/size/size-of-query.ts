import { reportingTables } from '../../catalogue/catalogue.ts'
import type { Node } from '../parse-select.ts'
import { namesOf, nodeOf, textOf } from '../read-node.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { rowWidth } from './size.ts'
import { relationOfSelect } from './size-of-select.ts'
import { relationOfTable, smallestTable, type TableMeasure } from './table-relations.ts'

/** What a query names: its tables, and the columns that it may read of them. */
export type Mentions = { readonly tables: readonly string[]; readonly mentions: (column: string) => boolean }

export function mentionsOf(select: Node): Mentions {
  const tables = new Set<string>()
  const words = new Set<string>()
  let isAll = false
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const node = value as Node
    if ('RangeVar' in node) tables.add(textOf(nodeOf(node['RangeVar'])['relname']))
    if (nodeOf(node['JoinExpr'])['isNatural']) isAll = true
    if ('ColumnRef' in node) {
      const names = namesOf(nodeOf(node['ColumnRef'])['fields'])
      for (const name of names) words.add(name)
      if (names.includes('*')) isAll = true
    }
    for (const name of namesOf(nodeOf(node['JoinExpr'])['usingClause'])) words.add(name)
    for (const [, child] of Object.entries(node)) visit(child)
    const alias = textOf(nodeOf(node['alias'])['aliasname'])
    if (alias) aliases.add(alias)
    if (typeof node['relname'] === 'string') aliases.add(node['relname'])
    // Columns under other names: which they are is not followed up.
    if (Array.isArray(nodeOf(node['alias'])['colnames'])) isAll = true
  }
  const aliases = new Set<string>()
  visit(select)
  const known = reportingTables.filter(({ name }) => tables.has(name)).map(({ name }) => name)
  // A table's name in the place of a column stands for its whole row.
  const isWhole = isAll || [...aliases].some((alias) => isRowOf(select, alias))
  return { tables: known, mentions: (column) => isWhole || words.has(column) }
}

/** Whether a column reference is the alias alone. */
function isRowOf(value: unknown, alias: string): boolean {
  if (Array.isArray(value)) return value.some((one) => isRowOf(one, alias))
  if (typeof value !== 'object' || value === null) return false
  const names = namesOf(nodeOf((value as Node)['ColumnRef'])['fields'])
  if (names.length === 1 && names[0] === alias) return true
  return Object.values(value).some((one) => isRowOf(one, alias))
}

/** The most that the query can take, by what was measured of its tables. */
export function sizeOfQuery(select: Node, measures: ReadonlyMap<string, TableMeasure>): Ledger {
  const { tables, mentions } = mentionsOf(select)
  return judged(select, new Map(tables.map((name) => [name, relationOfTable(name, mentions, measures.get(name))])))
}

/** The least that the query can take whatever its tables hold. */
export function leastSizeOfQuery(select: Node): Ledger {
  const { tables, mentions } = mentionsOf(select)
  return judged(select, new Map(tables.map((name) => [name, smallestTable(name, mentions)])))
}

function judged(select: Node, tables: Parameters<typeof relationOfSelect>[1]['tables']): Ledger {
  const ledger = openLedger()
  const nothing = { relations: new Map(), rows: 1, ctes: new Map() }
  const { columns } = relationOfSelect(select, { ...nothing, tables, ledger, sizeOfSelect: relationOfSelect })
  ledger.answer = rowWidth(columns)
  return ledger
}
