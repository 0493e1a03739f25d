import type { Node } from '../parse-select.ts'
import { refuse } from '../query-refused.ts'
import { integerOf, namesOf, nodeOf, nodesOf, textOf } from '../read-node.ts'
import { renameColumns, widestOfEach } from './columns.ts'
import { noteAreas, noteSort } from './ledger.ts'
import type { Scope } from './scope.ts'
import { type Relation, tupleWidth } from './size.ts'
import { noteJoinSides, noteWindowDefinition, sizeOf, sizesOf, sizesOfOrder, widthOfRow } from './size-of-expression.ts'
import { relationsOfFrom } from './size-of-from.ts'

const maxGroupingSets = 64
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
  if (node['larg'] !== undefined) sortsOf(node, ordered, relation.rows)
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
  noteSort(
    scope.ledger,
    left.rows + right.rows,
    columns.map(([, width]) => width),
  )
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
  sortsOf(node, scope, lists.length)
  return { columns, rows: lists.length, keys: [] }
}

function plainSelect(node: Node, outer: Scope): Relation {
  const { relations, rows } = relationsOfFrom(node, outer)
  const { ctes, tables, isEquated, ledger, sizeOfSelect } = outer
  const inner: Scope = { relations, rows, ctes, tables, isEquated, ledger, sizeOfSelect, outer }
  const joins = Math.max(0, nodesOf(node['fromClause']).length - 1)
  noteAreas(ledger, areasOfJoin * joins, widthOfRow(inner))
  // A subquery may become a side of a join.
  if (joins > 0 || outer.relations.size > 0) noteJoinSides(inner)
  if (node['whereClause'] !== undefined) sizeOf(nodeOf(node['whereClause']), inner)
  const sets = groupingSets(node['groupClause'])
  if (sets > maxGroupingSets) refuse(`A reporting query may group in ${maxGroupingSets} ways.`)
  const collected: Scope = { ...inner, rows: rows * sets }
  const { columns, places, multiplier, isAggregated } = targetsOf(node, collected)
  const named: Scope = { ...collected, outputs: columns, places }
  groupsOf(node, named)
  if (node['havingClause'] !== undefined) sizeOf(nodeOf(node['havingClause']), named)
  if (node['distinctClause'] !== undefined) distinctOf(node, named, named.rows * multiplier)
  sortsOf(node, named, named.rows * multiplier)
  const isOne = isAggregated && nodesOf(node['groupClause']).length === 0
  const keys = multiplier === 1 && sets === 1 ? keysOf(node, columns) : []
  return { columns, rows: (isOne ? 1 : rows * sets) * multiplier, keys: isOne && multiplier === 1 ? [[]] : keys }
}

type Targets = { columns: Map<string, number>; places: number[]; multiplier: number; isAggregated: boolean }

function targetsOf(node: Node, scope: Scope): Targets {
  const columns: [string, number][] = []
  let multiplier = 1
  let isAggregated = node['havingClause'] !== undefined
  for (const tagged of nodesOf(node['targetList'])) {
    const { name, val } = nodeOf(tagged['ResTarget'])
    const names = namesOf(nodeOf(nodeOf(val)['ColumnRef'])['fields'])
    if (names.at(-1) === '*') {
      columns.push(...starred(names.at(-2), scope))
      continue
    }
    const size = sizeOf(nodeOf(val), scope)
    multiplier *= size.rows
    isAggregated ||= hasAggregate(nodeOf(val))
    columns.push([textOf(name) || names.at(-1) || nameOf(nodeOf(val)), size.width])
  }
  return { columns: widestOfEach(columns), places: columns.map(([, width]) => width), multiplier, isAggregated }
}

/** The columns of all tables of the SELECT, or of the one of this alias, which may be one of a SELECT around it. */
function starred(alias: string | undefined, scope: Scope): [string, number][] {
  if (alias === undefined) return Array.from(scope.relations.values(), ({ columns }) => [...columns]).flat()
  for (let place: Scope | undefined = scope; place; place = place.outer) {
    const relation = place.relations.get(alias)
    if (relation) return [...relation.columns]
  }
  return []
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
  if (items.length === 0) return
  noteAreas(scope.ledger, groupingSets(items), widthOfRow(scope))
  const widths = items.flatMap((tagged) => widthsOfGroup(tagged, scope))
  noteSort(scope.ledger, scope.rows, widths)
}

function distinctOf(node: Node, scope: Scope, rows: number): void {
  for (const tagged of nodesOf(node['distinctClause'])) if (Object.keys(tagged).length > 0) sizeOf(tagged, scope)
  noteAreas(scope.ledger, 1, widthOfAll(scope))
  noteSort(scope.ledger, rows, widthsOfAnswer(scope))
}

/** Of all columns of the answer. */
const widthsOfAnswer = ({ places, relations }: Scope): readonly number[] =>
  places ?? Array.from(relations.values(), ({ columns }) => [...columns.values()]).flat()

/** A row with what is computed of it, which a sort carries along. */
const widthOfAll = (scope: Scope): number => widthOfRow(scope) + (scope.outputs ? tupleWidth(scope.outputs) : 0)

function widthsOfGroup(tagged: Node, scope: Scope): readonly number[] {
  if ('GroupingSet' in tagged) {
    return nodesOf(nodeOf(tagged['GroupingSet'])['content']).flatMap((part) => widthsOfGroup(part, scope))
  }
  return widthsOfKey(tagged, sizeOf(tagged, scope).width, scope)
}

/** A number is the place of a column of the answer, counted from 1. */
function widthsOfKey(tagged: Node, width: number, scope: Scope): readonly number[] {
  const place = integerOf(tagged)
  if (place === undefined) return [width]
  const widths = widthsOfAnswer(scope)
  const found = widths[place - 1]
  return found === undefined ? widths : [found]
}

/** `rows` is how many there are to sort. */
function sortsOf(node: Node, scope: Scope, rows: number): void {
  const keys = nodesOf(node['sortClause']).map((tagged) => nodeOf(nodeOf(tagged['SortBy'])['node']))
  const sizes = sizesOfOrder(node['sortClause'], scope)
  if (keys.length > 0) {
    noteAreas(scope.ledger, 1, widthOfAll(scope))
    const widths = keys.flatMap((key, at) => widthsOfKey(key, sizes[at]?.width ?? 0, scope))
    noteSort(scope.ledger, rows, widths)
  }
  for (const tagged of nodesOf(node['windowClause'])) noteWindowDefinition(nodeOf(tagged['WindowDef']), scope)
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
