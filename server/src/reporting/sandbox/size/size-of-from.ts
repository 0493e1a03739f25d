import type { Node } from '../parse-select.ts'
import { refuse } from '../query-refused.ts'
import { namesOf, nodeOf, nodesOf, textOf } from '../read-node.ts'
import { renameColumns, widestOfEach } from './columns.ts'
import { noteAreas } from './ledger.ts'
import type { Scope } from './scope.ts'
import { type Key, type Relation, tupleWidth } from './size.ts'
import { noteJoinSides, sizeOf, widthOfRow } from './size-of-expression.ts'

/** What a FROM item adds: its tables by alias, how many rows they have together, and what is unique in those. */
type Joined = {
  readonly relations: ReadonlyMap<string, Relation>
  readonly rows: number
  readonly keys: readonly Key[]
}

const nothing: Joined = { relations: new Map(), rows: 1, keys: [[]] }
const areasOfJoin = 3

/** The tables of a SELECT's FROM and the most rows that they have together, by what WHERE says is equal. */
export function relationsOfFrom(node: Node, outer: Scope): Joined {
  const conditions = equalitiesOf(node['whereClause'])
  let all = nothing
  for (const tagged of nodesOf(node['fromClause'])) {
    const next = joinedOf(tagged, around(outer, all), conditions)
    all = join(all, next, equatedIn(conditions, all, next), 'JOIN_INNER')
  }
  return all
}

/** A LATERAL item sees the ones before it. */
function around(outer: Scope, { relations, rows }: Joined): Scope {
  const { ctes, tables, isEquated, ledger, sizeOfSelect } = outer
  return { ctes, tables, isEquated, ledger, sizeOfSelect, relations, rows, outer }
}

function joinedOf(tagged: Node, scope: Scope, where: readonly Equality[]): Joined {
  if ('JoinExpr' in tagged) return joinOf(nodeOf(tagged['JoinExpr']), scope, where)
  const { alias, relation } = itemOf(tagged, scope)
  const keys = relation.keys.map((key) => key.map((column) => `${alias}.${column}`))
  return { relations: new Map([[alias, relation]]), rows: relation.rows, keys }
}

function itemOf(tagged: Node, scope: Scope): { alias: string; relation: Relation } {
  if ('RangeVar' in tagged) {
    const { relname, schemaname, alias } = nodeOf(tagged['RangeVar'])
    const name = textOf(relname)
    const cte = schemaname === undefined ? scope.ctes.get(name) : undefined
    const relation = cte ?? tableOf(name, scope)
    return { alias: aliasOf(alias) || name, relation: renameColumns(relation, columnsOf(alias)) }
  }
  if ('RangeSubselect' in tagged) {
    const { subquery, alias } = nodeOf(tagged['RangeSubselect'])
    const relation = scope.sizeOfSelect(nodeOf(nodeOf(subquery)['SelectStmt']), { ...scope, rows: 1 })
    return { alias: aliasOf(alias), relation: renameColumns(relation, columnsOf(alias)) }
  }
  if ('RangeFunction' in tagged) return functionOf(nodeOf(tagged['RangeFunction']), scope)
  return refuse('This SQL is not available in reporting queries.')
}

const aliasOf = (alias: unknown): string => textOf(nodeOf(alias)['aliasname'])
const columnsOf = (alias: unknown): string[] => namesOf(nodeOf(alias)['colnames'])

function tableOf(name: string, scope: Scope): Relation {
  const table = scope.tables.get(name) ?? refuse(`There is no reporting table "${name}".`)
  noteAreas(scope.ledger, table.areas, tupleWidth(table.columns))
  return table
}

function functionOf({ functions, alias }: Node, scope: Scope): { alias: string; relation: Relation } {
  const name = aliasOf(alias)
  const columns = new Map<string, number>()
  let rows = 1
  for (const { List: list } of nodesOf(functions)) {
    const [call] = nodesOf(nodeOf(list)['items'])
    const size = sizeOf(call ?? {}, scope)
    rows = Math.max(rows, size.rows)
    for (const column of [name, 'key', 'value', 'ordinality', ...columnsOf(alias)]) columns.set(column, size.width)
  }
  noteAreas(scope.ledger, 1, tupleWidth(columns))
  return { alias: name, relation: { columns, rows, keys: [] } }
}

function joinOf(node: Node, scope: Scope, where: readonly Equality[]): Joined {
  const left = joinedOf(nodeOf(node['larg']), scope, where)
  const right = joinedOf(nodeOf(node['rarg']), around(scope, left), where)
  const type = textOf(node['jointype'])
  const conditions = type === 'JOIN_INNER' ? [...equalitiesOf(node['quals']), ...where] : equalitiesOf(node['quals'])
  const using = new Set(namesOf(node['usingClause']))
  const equated = equatedIn(conditions, left, right)
  for (const side of [left, right]) {
    for (const [alias, { columns }] of side.relations) {
      for (const column of using) if (columns.has(column)) equated.add(`${alias}.${column}`)
    }
  }
  const joined = join(left, right, equated, type)
  noteAreas(scope.ledger, areasOfJoin, widthOfRow(around(scope, joined)))
  noteJoinSides(around(scope, joined))
  if (node['quals'] !== undefined) sizeOf(nodeOf(node['quals']), around(scope, joined))
  return underAlias(joined, node)
}

/** `(a join b …) as c` hides a and b. */
function underAlias(joined: Joined, { alias }: Node): Joined {
  if (alias === undefined) return joined
  const columns = widestOfEach([...joined.relations.values()].flatMap((relation) => [...relation.columns]))
  const relation = renameColumns({ columns, rows: joined.rows, keys: [] }, columnsOf(alias))
  return { relations: new Map([[aliasOf(alias), relation]]), rows: joined.rows, keys: [] }
}

/** A row meets at most one of a side in which what it must equal is unique. */
function join(left: Joined, right: Joined, equated: ReadonlySet<string>, type: string): Joined {
  const isUnique = ({ keys }: Joined) => keys.some((key) => key.every((column) => equated.has(column)))
  const [meetsOneRight, meetsOneLeft] = [isUnique(right), isUnique(left)]
  const matches = Math.min(
    left.rows * right.rows,
    meetsOneRight ? left.rows : Number.POSITIVE_INFINITY,
    meetsOneLeft ? right.rows : Number.POSITIVE_INFINITY,
  )
  const unmatched = {
    JOIN_LEFT: meetsOneRight ? 0 : left.rows,
    JOIN_RIGHT: meetsOneLeft ? 0 : right.rows,
    JOIN_FULL: left.rows + right.rows,
  }[type]
  const isOuter = type !== 'JOIN_INNER'
  return {
    relations: new Map([...left.relations, ...right.relations]),
    rows: matches + (unmatched ?? 0),
    keys:
      isOuter && type !== 'JOIN_LEFT'
        ? []
        : [...(meetsOneRight ? left.keys : []), ...(meetsOneLeft && !isOuter ? right.keys : [])],
  }
}

/** Columns of both sides of `a = b`; undefined where a side is something else. */
type Equality = readonly (readonly string[] | undefined)[]

/** The equalities that hold of every row that the condition lets through. */
function equalitiesOf(condition: unknown): Equality[] {
  const tagged = nodeOf(condition)
  const { boolop, args } = nodeOf(tagged['BoolExpr'])
  if (boolop === 'AND_EXPR') return nodesOf(args).flatMap(equalitiesOf)
  const { kind, name, lexpr, rexpr } = nodeOf(tagged['A_Expr'])
  if (kind !== 'AEXPR_OP' || namesOf(name).join('.') !== '=') return []
  return [
    [lexpr, rexpr].map((side) =>
      'ColumnRef' in nodeOf(side) ? namesOf(nodeOf(nodeOf(side)['ColumnRef'])['fields']) : undefined,
    ),
  ]
}

/** Columns of either side that must equal one of the other. */
function equatedIn(equalities: readonly Equality[], left: Joined, right: Joined): Set<string> {
  const equated = new Set<string>()
  for (const [one, other] of equalities) {
    const [inLeft, inRight] = [placeOf(one, left) ?? placeOf(other, left), placeOf(one, right) ?? placeOf(other, right)]
    if (inLeft === undefined || inRight === undefined) continue
    equated.add(inLeft).add(inRight)
  }
  return equated
}

function placeOf(names: readonly string[] | undefined, { relations }: Joined): string | undefined {
  if (names === undefined) return undefined
  const [column = '', alias] = names.toReversed()
  const found = [...relations].filter(
    ([name, { columns }]) => (alias === undefined || alias === name) && columns.has(column),
  )
  return found.length === 1 ? `${found[0]?.[0]}.${column}` : undefined
}
