import type { Node } from '../parse-select.ts'
import { refuse } from '../query-refused.ts'
import { integerOf, namesOf, nodeOf, nodesOf, textOf } from '../read-node.ts'
import { renameColumns, widestOfEach } from './columns.ts'
import { noteAreas } from './ledger.ts'
import type { Scope } from './scope.ts'
import { type Relation, tupleWidth } from './size.ts'
import { sizeOf, sizesOf, widthOfRow } from './size-of-expression.ts'
import { relationsOfFrom } from './size-of-from.ts'

const mostGroupingSets = 64
/** A sort for each side of a set operation, and one of both. */
const areasOfSetOperation = 3
/** A join may sort both sides and store one. */
const areasOfJoin = 3

/** What a SELECT can answer at most; what it needs is noted in the ledger. */
export function relationOfSelect(node: Node, outer: Scope): Relation {
  const ctes = ctesOf(node, outer)
  const scope: Scope = { ...outer, ctes }
  const relation = bodyOf(node, scope)
  const ordered: Scope = { ...scope, relations: new Map([['', relation]]) }
  if (node['larg'] !== undefined) sortsOf(node, ordered)
  const rows = limitedRows(node, relation.rows, scope)
  return { ...relation, rows }
}

function bodyOf(node: Node, scope: Scope): Relation {
  if (node['larg'] !== undefined) return setOperation(node, scope)
  if (node['valuesLists'] !== undefined) return valuesOf(node, scope)
  return plainSelect(node, scope)
}

function ctesOf(node: Node, outer: Scope): ReadonlyMap<string, Relation> {
  const { ctes: listed } = nodeOf(node['withClause'])
  const ctes = new Map(outer.ctes)
  for (const tagged of nodesOf(listed)) {
    const { ctename, ctequery, aliascolnames } = nodeOf(tagged['CommonTableExpr'])
    const relation = relationOfSelect(nodeOf(nodeOf(ctequery)['SelectStmt']), { ...outer, ctes: new Map(ctes) })
    ctes.set(textOf(ctename), renameColumns(relation, namesOf(aliascolnames)))
    noteAreas(outer.ledger, 1, tupleWidth(relation.columns))
  }
  return ctes
}

function setOperation(node: Node, scope: Scope): Relation {
  const [left, right] = [relationOfSelect(nodeOf(node['larg']), scope), relationOfSelect(nodeOf(node['rarg']), scope)]
  const others = [...right.columns.values()]
  const columns = [...left.columns].map(([name, width], at): [string, number] => [
    name,
    Math.max(width, others[at] ?? Math.max(0, ...others)),
  ])
  noteAreas(scope.ledger, areasOfSetOperation, tupleWidth(widestOfEach(columns)))
  const rows = node['op'] === 'SETOP_UNION' ? left.rows + right.rows : left.rows
  return { columns: widestOfEach(columns), rows, keys: [] }
}

function valuesOf(node: Node, scope: Scope): Relation {
  const lists = nodesOf(node['valuesLists']).map(({ List: list }) => sizesOf(nodeOf(list)['items'], scope))
  const columns = new Map<string, number>()
  for (const sizes of lists) {
    for (const [at, { width }] of sizes.entries()) {
      const name = `column${at + 1}`
      columns.set(name, Math.max(width, columns.get(name) ?? 0))
    }
  }
  sortsOf(node, scope)
  return { columns, rows: lists.length, keys: [] }
}

function plainSelect(node: Node, outer: Scope): Relation {
  const { relations, rows } = relationsOfFrom(node, outer)
  const { ctes, tables, ledger, sizeOfSelect } = outer
  const inner: Scope = { relations, rows, ctes, tables, ledger, sizeOfSelect, outer }
  const joins = Math.max(0, nodesOf(node['fromClause']).length - 1)
  noteAreas(ledger, areasOfJoin * joins, widthOfRow(inner))
  if (node['whereClause'] !== undefined) sizeOf(nodeOf(node['whereClause']), inner)
  const sets = groupingSets(node['groupClause'])
  if (sets > mostGroupingSets) refuse(`A reporting query may group in ${mostGroupingSets} ways.`)
  const collected: Scope = { ...inner, rows: rows * sets }
  const { columns, multiplier, isAggregated } = targetsOf(node, collected, relations)
  const named: Scope = { ...collected, outputs: columns }
  groupsOf(node, named)
  if (node['havingClause'] !== undefined) sizeOf(nodeOf(node['havingClause']), named)
  sortsOf(node, named)
  const isOne = isAggregated && nodesOf(node['groupClause']).length === 0
  const keys = multiplier === 1 && sets === 1 ? keysOf(node, columns) : []
  return { columns, rows: (isOne ? 1 : rows * sets) * multiplier, keys: isOne && multiplier === 1 ? [[]] : keys }
}

type Targets = { columns: Map<string, number>; multiplier: number; isAggregated: boolean }

function targetsOf(node: Node, scope: Scope, relations: ReadonlyMap<string, Relation>): Targets {
  const columns: [string, number][] = []
  let multiplier = 1
  let isAggregated = node['havingClause'] !== undefined
  for (const tagged of nodesOf(node['targetList'])) {
    const { name, val } = nodeOf(tagged['ResTarget'])
    const names = namesOf(nodeOf(nodeOf(val)['ColumnRef'])['fields'])
    if (names.at(-1) === '*') {
      columns.push(...starred(names.at(-2), relations))
      continue
    }
    const size = sizeOf(nodeOf(val), scope)
    multiplier *= size.rows
    isAggregated ||= hasAggregate(nodeOf(val))
    columns.push([textOf(name) || names.at(-1) || nameOf(nodeOf(val)), size.width])
  }
  return { columns: widestOfEach(columns), multiplier, isAggregated }
}

function starred(alias: string | undefined, relations: ReadonlyMap<string, Relation>): [string, number][] {
  const chosen = [...relations].filter(([name]) => alias === undefined || alias === name)
  // An alias of an outer SELECT: all of what is known here is at least as much as nothing.
  return chosen.flatMap(([, { columns }]) => [...columns])
}

/** The name that PostgreSQL gives to a column that has none. */
function nameOf(tagged: Node): string {
  if ('FuncCall' in tagged) return namesOf(nodeOf(tagged['FuncCall'])['funcname']).at(-1) ?? ''
  if ('TypeCast' in tagged) {
    const { arg, typeName } = nodeOf(tagged['TypeCast'])
    const names = namesOf(nodeOf(nodeOf(arg)['ColumnRef'])['fields'])
    return names.at(-1) ?? namesOf(nodeOf(typeName)['names']).at(-1) ?? ''
  }
  if ('CaseExpr' in tagged) return 'case'
  if ('CoalesceExpr' in tagged) return 'coalesce'
  return '?column?'
}

const aggregates = new Set(
  'count sum avg min max bool_and bool_or every string_agg array_agg stddev stddev_pop stddev_samp variance var_pop var_samp percentile_cont percentile_disc mode json_agg jsonb_agg json_object_agg jsonb_object_agg'.split(
    ' ',
  ),
)

/** Whether the expression makes one row of all: an aggregate that is not over a window, outside of subqueries. */
function hasAggregate(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasAggregate)
  if (typeof value !== 'object' || value === null) return false
  if ('SubLink' in value) return false
  const { FuncCall } = value as Node
  const call = nodeOf(FuncCall)
  if (aggregates.has(namesOf(call['funcname']).at(-1) ?? '') && call['over'] === undefined) return true
  return Object.values(value).some(hasAggregate)
}

function groupingSets(groupClause: unknown): number {
  return nodesOf(groupClause).reduce((all, tagged) => all * setsOf(tagged), 1)
}

function setsOf(tagged: Node): number {
  if (!('GroupingSet' in tagged)) return 1
  const { kind, content } = nodeOf(tagged['GroupingSet'])
  const parts = nodesOf(content)
  if (kind === 'GROUPING_SET_CUBE') return 2 ** parts.length
  if (kind === 'GROUPING_SET_ROLLUP') return parts.length + 1
  if (kind === 'GROUPING_SET_SETS') return parts.reduce((all, part) => all + setsOf(part), 0)
  return 1
}

function groupsOf(node: Node, scope: Scope): void {
  const items = nodesOf(node['groupClause'])
  for (const tagged of items) visitGroup(tagged, scope)
  if (items.length > 0) noteAreas(scope.ledger, groupingSets(items), widthOfRow(scope))
  if (node['distinctClause'] !== undefined) {
    for (const tagged of nodesOf(node['distinctClause'])) if (Object.keys(tagged).length > 0) sizeOf(tagged, scope)
    noteAreas(scope.ledger, 1, widthOfAll(scope))
  }
}

/** A row with what is computed of it, which a sort carries along. */
const widthOfAll = (scope: Scope): number => widthOfRow(scope) + (scope.outputs ? tupleWidth(scope.outputs) : 0)

function visitGroup(tagged: Node, scope: Scope): void {
  if ('GroupingSet' in tagged) {
    for (const part of nodesOf(nodeOf(tagged['GroupingSet'])['content'])) visitGroup(part, scope)
  } else sizeOf(tagged, scope)
}

function sortsOf(node: Node, scope: Scope): void {
  const sorts = nodesOf(node['sortClause'])
  for (const tagged of sorts) sizeOf(nodeOf(nodeOf(tagged['SortBy'])['node']), scope)
  if (sorts.length > 0) noteAreas(scope.ledger, 1, widthOfAll(scope))
  for (const tagged of nodesOf(node['windowClause'])) {
    const { partitionClause, orderClause, startOffset, endOffset } = nodeOf(tagged['WindowDef'])
    sizesOf(partitionClause, scope)
    for (const part of nodesOf(orderClause)) sizeOf(nodeOf(nodeOf(part['SortBy'])['node']), scope)
    for (const offset of [startOffset, endOffset]) if (offset !== undefined) sizeOf(nodeOf(offset), scope)
    noteAreas(scope.ledger, 2, widthOfRow(scope))
  }
}

function limitedRows(node: Node, rows: number, scope: Scope): number {
  for (const part of [node['limitCount'], node['limitOffset']]) {
    if (part !== undefined) sizeOf(nodeOf(part), scope)
  }
  if (node['limitOption'] === 'LIMIT_OPTION_WITH_TIES') return rows
  const count = integerOf(nodeOf(node['limitCount']))
  return count === undefined || count < 0 ? rows : Math.min(rows, count)
}

/** Columns that GROUP BY makes unique, where each of its parts is a column of the answer. */
function keysOf(node: Node, columns: ReadonlyMap<string, number>): string[][] {
  const items = nodesOf(node['groupClause'])
  if (items.length === 0) return []
  const targets = nodesOf(node['targetList']).map((tagged) => {
    const { name, val } = nodeOf(tagged['ResTarget'])
    return { column: namesOf(nodeOf(nodeOf(val)['ColumnRef'])['fields']).at(-1), name: textOf(name) }
  })
  const key = items.map((tagged) => {
    const place = integerOf(tagged)
    const named = namesOf(nodeOf(tagged['ColumnRef'])['fields']).at(-1)
    const target =
      place === undefined ? targets.find(({ column }) => column !== undefined && column === named) : targets[place - 1]
    return target && (target.name || target.column)
  })
  return key.every((name) => name !== undefined && columns.has(name)) ? [key as string[]] : []
}
