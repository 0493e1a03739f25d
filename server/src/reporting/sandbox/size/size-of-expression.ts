import type { Node } from '../parse-select.ts'
import { refuse } from '../query-refused.ts'
import { integerOf, literalOf, namesOf, nodeOf, nodesOf, textOf } from '../read-node.ts'
import { type Call, sizeOfAggregate, sizeOfCall, sizeOfCast, widthOfText, workOfCall } from './function-sizes.ts'
import { note, noteAreas, noteSort, noteSortedAggregate } from './ledger.ts'
import { collectedRows, type Scope, widthOfColumn } from './scope.ts'
import { asList, type Size, tupleWidth } from './size.ts'

/** Eight copies: of wide characters, of a growing buffer, and of both. */
const temporaryCopies = 8
/** What an aggregate needs of its result's bytes: a buffer that doubles, the result, and the row that it goes into. */
const heldCopies = 6

const single = (width: number): Size => ({ width, rows: 1 })
const truth = single(1)

/** The most that an expression can make, noted in the ledger with all that is within it. */
export function sizeOf(tagged: Node, scope: Scope): Size {
  const [kind, value] = Object.entries(tagged)[0] ?? []
  if (kind === undefined) return single(0)
  const rule = rules[kind] ?? refuse(`This SQL (${kind}) is not available in reporting queries.`)
  const size = rule(nodeOf(value), scope, tagged)
  if (!size.isHeld) note(scope.ledger, 'values', nameOfNode(kind, nodeOf(value)), size.width)
  return Number.isNaN(size.width) ? { ...size, width: Number.POSITIVE_INFINITY } : size
}

export const sizesOf = (list: unknown, scope: Scope): Size[] => nodesOf(list).map((tagged) => sizeOf(tagged, scope))

const widest = (sizes: readonly Size[]): number => Math.max(0, ...sizes.map(({ width }) => width))
const total = (sizes: readonly Size[]): number => sizes.reduce((all, { width }) => all + width, 0)
const product = (sizes: readonly Size[]): number => sizes.reduce((all, { rows }) => all * rows, 1)
const optional = (tagged: unknown, scope: Scope): Size[] =>
  tagged === undefined ? [] : [sizeOf(nodeOf(tagged), scope)]

type Rule = (node: Node, scope: Scope, tagged: Node) => Size

const rules: Readonly<Record<string, Rule>> = {
  ColumnRef: ({ fields }, scope) => single(widthOfColumn(namesOf(fields), scope)),
  A_Const: (_, __, tagged) => single(widthOfConstant(tagged)),
  SQLValueFunction: () => single(64),
  GroupingFunc: () => single(20),
  BoolExpr: visitForTruth('args'),
  NullTest: visitForTruth('arg'),
  BooleanTest: visitForTruth('arg'),
  CoalesceExpr: ({ args }, scope) => widestOf(sizesOf(args, scope)),
  MinMaxExpr: ({ args }, scope) => widestOf(sizesOf(args, scope)),
  CaseExpr({ arg, args, defresult }, scope) {
    optional(arg, scope)
    return widestOf([...sizesOf(args, scope), ...optional(defresult, scope)])
  },
  CaseWhen({ expr, result }, scope) {
    optional(expr, scope)
    return widestOf(optional(result, scope))
  },
  List: ({ items }, scope) => single(total(sizesOf(items, scope))),
  NamedArgExpr: ({ arg }, scope) => sizeOf(nodeOf(arg), scope),
  A_ArrayExpr({ elements }, scope) {
    const sizes = sizesOf(elements, scope)
    return single(asList(total(sizes), sizes.length))
  },
  RowExpr({ args }, scope) {
    const sizes = sizesOf(args, scope)
    return single(asList(total(sizes), sizes.length))
  },
  A_Indirection({ arg, indirection }, scope) {
    for (const part of nodesOf(indirection)) {
      const { lidx, uidx } = nodeOf(part['A_Indices'])
      optional(lidx, scope)
      optional(uidx, scope)
    }
    return sizeOf(nodeOf(arg), scope)
  },
  TypeCast: sizeOfTypeCast,
  A_Expr: sizeOfOperation,
  FuncCall: sizeOfFunction,
  SubLink: sizeOfSubquery,
}

const widestOf = (sizes: readonly Size[]): Size => ({ width: widest(sizes), rows: product(sizes) })

function visitForTruth(field: string): Rule {
  return (node, scope) => {
    const value = node[field]
    if (Array.isArray(value)) sizesOf(value, scope)
    else optional(value, scope)
    return truth
  }
}

function widthOfConstant(tagged: Node): number {
  const text = literalOf(tagged)
  if (text !== undefined) return widthOfText(text)
  const { fval } = nodeOf(tagged['A_Const'])
  return fval === undefined ? 20 : 60 + textOf(nodeOf(fval)['fval']).length
}

function sizeOfTypeCast({ arg, typeName }: Node, scope: Scope): Size {
  const { names, typmods, arrayBounds } = nodeOf(typeName)
  const type = namesOf(names).at(-1) ?? ''
  const inner = nodeOf(arg)
  const isLiteral = literalOf(inner) !== undefined
  const size = sizeOf(inner, scope)
  if (type === 'json' || type === 'jsonb') {
    if (!isLiteral) scope.ledger.castsToJson = true
    if (type === 'jsonb') scope.ledger.makesJsonb = true
  }
  const lengths = nodesOf(typmods).map(integerOf)
  const isList = nodesOf(arrayBounds).length > 0
  const isConstant = 'A_Const' in inner
  return { width: sizeOfCast(size.width, { type, lengths, isList, isLiteral: isConstant }), rows: size.rows }
}

const numbers = new Set(['+', '-'])
const products = new Set(['*', '/', '%'])
const parts = new Set(['->', '->>', '#>', '#>>'])

function sizeOfOperation({ kind, name, lexpr, rexpr }: Node, scope: Scope): Size {
  const operator = namesOf(name).at(-1) ?? ''
  const [left = single(0), right = single(0)] = [...optional(lexpr, scope), ...optional(rexpr, scope)]
  const width = widthOfOperation(textOf(kind), operator, left.width, right.width)
  note(scope.ledger, 'work', `The operator ${operator}`, workOfOperation(operator, left.width, right.width))
  return { width, rows: left.rows * right.rows }
}

function widthOfOperation(kind: string, operator: string, left: number, right: number): number {
  if (kind === 'AEXPR_NULLIF') return left
  if (kind !== 'AEXPR_OP') return 1
  if (operator === '||') return left + right + 64
  if (parts.has(operator)) return left
  if (numbers.has(operator)) return Math.max(left, right) + 32
  if (products.has(operator)) return left + right + (operator === '*' ? 4 : 1_020)
  return 1
}

const linear = new Set(['||', '=', '<>', '!=', '<', '>', '<=', '>=', '->', '->>', '#>', '#>>', '+', '-', '?'])

function workOfOperation(operator: string, left: number, right: number): number {
  if (linear.has(operator)) return left + right
  return left + right + (left * right) / (products.has(operator) ? 16 : 1)
}

const jsonbMakers = new Set(['to_jsonb', 'jsonb_build_object', 'jsonb_build_array', 'jsonb_agg', 'jsonb_object_agg'])

function sizeOfFunction(node: Node, scope: Scope): Size {
  const name = namesOf(node['funcname']).at(-1) ?? ''
  const nodes = [...nodesOf(node['args']), ...(node['agg_within_group'] ? sortedBy(node) : [])]
  const sizes = nodes.map((tagged) => sizeOf(tagged, scope))
  if (!node['agg_within_group']) for (const tagged of sortedBy(node)) sizeOf(tagged, scope)
  optional(node['agg_filter'], scope)
  if (jsonbMakers.has(name)) scope.ledger.makesJsonb = true
  const call: Call = {
    widths: sizes.map(({ width }) => width),
    integers: nodes.map(integerOf),
    texts: nodes.map(literalOf),
    counts: nodes.map(countOf),
  }
  note(scope.ledger, 'work', name, workOfCall(name, call))
  const aggregate = sizeOfAggregate(name, call, collectedRows(scope))
  if (aggregate) {
    noteOwnSort(node, sizes, scope)
    return noteAggregate(name, node, aggregate, scope)
  }
  const size = sizeOfCall(name, call) ?? refuse(`The function "${name}" is not available in reporting queries.`)
  noteWindow(node, scope)
  const largest = Math.max(size.width, readsWide(name) ? widest(sizes) : 0)
  scope.ledger.largestTemporary = Math.max(scope.ledger.largestTemporary, temporaryCopies * largest)
  return { width: size.width, rows: size.rows * product(sizes) }
}

/** Those that turn all of their text into characters of four bytes. */
const readsWide = (name: string): boolean => name.startsWith('regexp_') || name === 'lower' || name === 'upper'

const sortedBy = (node: Node): Node[] =>
  nodesOf(node['agg_order']).map((tagged) => nodeOf(nodeOf(tagged['SortBy'])['node']))

/** How many values a list that is written out has. */
function countOf(tagged: Node): number | undefined {
  const { elements } = nodeOf(tagged['A_ArrayExpr'])
  return 'A_ArrayExpr' in tagged ? nodesOf(elements).length : undefined
}

/** An aggregate of DISTINCT values, or in an order. */
function noteOwnSort(node: Node, sizes: readonly Size[], scope: Scope): void {
  if (!node['agg_distinct'] && !node['agg_order'] && !node['agg_within_group']) return
  noteAreas(scope.ledger, 1, widthOfRow(scope))
  const isOfOneValue = node['agg_within_group'] === true || sizes.length === 1
  if (isOfOneValue) noteSortedAggregate(scope.ledger, collectedRows(scope), widthsOf(sizes))
}

function noteAggregate(
  name: string,
  node: Node,
  { width, collects }: { width: number; collects: boolean },
  scope: Scope,
): Size {
  noteWindow(node, scope)
  if (collects) note(scope.ledger, 'held', name, heldCopies * width)
  return { width, rows: 1, isHeld: collects }
}

/** A sort of its rows and a store of them. */
function noteWindow({ over }: Node, scope: Scope): void {
  if (over === undefined) return
  noteWindowDefinition(nodeOf(over), scope)
}

/** What is computed for PARTITION BY, ORDER BY and the frame, with a sort and a store. */
export function noteWindowDefinition(definition: Node, scope: Scope): void {
  const { partitionClause, orderClause, startOffset, endOffset } = definition
  const sizes = [...sizesOf(partitionClause, scope), ...sizesOfOrder(orderClause, scope)]
  optional(startOffset, scope)
  optional(endOffset, scope)
  noteAreas(scope.ledger, 2, widthOfRow(scope))
  noteSort(scope.ledger, scope.rows, widthsOf(sizes))
}

/** The keys of an ORDER BY. */
export const sizesOfOrder = (clause: unknown, scope: Scope): Size[] =>
  nodesOf(clause).map((tagged) => sizeOf(nodeOf(nodeOf(tagged['SortBy'])['node']), scope))

const widthsOf = (sizes: readonly Size[]): number[] => sizes.map(({ width }) => width)

/** A join may sort each of its sides by a column that must equal another, and of several sides what they have together. */
export function noteJoinSides({ ledger, relations, rows, isEquated }: Scope): void {
  for (const { rows: own, columns } of relations.values()) {
    const widths = [...columns].filter(([name]) => isEquated(name)).map(([, width]) => width)
    if (widths.length > 0) noteSort(ledger, relations.size > 2 ? Math.max(rows, own) : own, widths)
  }
}

/** All columns that a row of the SELECT has. */
export function widthOfRow({ relations }: Scope): number {
  let width = 32
  for (const { columns } of relations.values()) width += tupleWidth(columns)
  return width
}

/** A row of a list of values to look one up in. */
const hashedRow = 100

function sizeOfSubquery({ subLinkType, testexpr, subselect }: Node, scope: Scope): Size {
  optional(testexpr, scope)
  const { columns, rows } = scope.sizeOfSelect(nodeOf(nodeOf(subselect)['SelectStmt']), scope)
  const width = Math.max(0, ...columns.values())
  noteAreas(scope.ledger, 2, tupleWidth(columns))
  noteSort(scope.ledger, rows, [width])
  noteJoinSides(scope)
  if (subLinkType === 'EXISTS_SUBLINK') return truth
  if (subLinkType === 'EXPR_SUBLINK') return single(width)
  if (subLinkType === 'ARRAY_SUBLINK') {
    const list = rows * asList(width, 1)
    note(scope.ledger, 'held', 'array(…)', heldCopies * list)
    return { width: list, rows: 1, isHeld: true }
  }
  // A list to look values up in is kept whole in memory.
  note(scope.ledger, 'held', 'A list of a subquery', rows * (2 * width + hashedRow))
  return truth
}

function nameOfNode(kind: string, node: Node): string {
  if (kind === 'FuncCall') return namesOf(node['funcname']).at(-1) ?? ''
  if (kind === 'A_Expr') return `The operator ${namesOf(node['name']).at(-1) ?? ''}`
  if (kind === 'ColumnRef') return `The column "${namesOf(node['fields']).join('.')}"`
  return kind === 'TypeCast' ? 'A cast' : 'An expression'
}
