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
export function minSizeOfQuery(select: Node): Ledger {
  const { tables, mentions } = mentionsOf(select)
  return judged(select, new Map(tables.map((name) => [name, smallestTable(name, mentions)])))
}

function judged(select: Node, tables: Parameters<typeof relationOfSelect>[1]['tables']): Ledger {
  const ledger = openLedger()
  const nothing = { relations: new Map(), rows: 1, ctes: new Map() }
  const isEquated = equatedIn(select)
  const { columns } = relationOfSelect(select, {
    ...nothing,
    tables,
    isEquated,
    ledger,
    sizeOfSelect: relationOfSelect,
  })
  ledger.answer = rowWidth(columns)
  return ledger
}

/** Columns within what is compared with `=`, is looked for in a subquery, or joins by its name. */
function equatedIn(select: Node): (column: string) => boolean {
  const equated = new Set<string>()
  let isAll = false
  const visit = (value: unknown, isCompared: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, isCompared)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const node = value as Node
    const { isNatural, usingClause } = nodeOf(node['JoinExpr'])
    if (isNatural) isAll = true
    const named = namesOf(isCompared ? nodeOf(node['ColumnRef'])['fields'] : []).slice(-1)
    for (const name of [...named, ...namesOf(usingClause)]) equated.add(name)
    const isComparison = isCompared || 'SubLink' in node || isEquality(nodeOf(node['A_Expr']))
    for (const child of Object.values(node)) visit(child, isComparison)
  }
  visit(select, false)
  return (column) => isAll || equated.has(column)
}

const isEquality = ({ kind, name }: Node): boolean =>
  kind === 'AEXPR_IN' || kind === 'AEXPR_OP_ANY' || namesOf(name).at(-1) === '='
