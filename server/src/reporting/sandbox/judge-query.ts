import { allowedShapes } from './allowed-shapes.ts'
import { allowedOperators, allowedTypes, allowedValues, rowFunctionColumns } from './allowed-words.ts'
import { judgeFunction, judgePattern } from './judge-function.ts'
import { type Node, type ParsedSelect, parseSelect } from './parse-select.ts'
import { refuse } from './query-refused.ts'
import { integerOf, namesOf, nodeOf, nodesOf, textOf } from './read-node.ts'
import { faultOfLedger } from './size/ledger.ts'
import { minSizeOfQuery } from './size/size-of-query.ts'

/** What is seen from a place of the query, and what has been counted so far in all of it. */
type Place = {
  readonly tables: ReadonlySet<string>
  /** Names of the WITH queries in sight. */
  readonly ctes: ReadonlySet<string>
  readonly depth: number
  readonly seen: Seen
}

type Seen = {
  tables: number
  rowFunctions: number
  /** Columns of every function in FROM, by alias. */
  functions: Map<string, ReadonlySet<string>>
  columns: string[][]
}

const deepestNesting = 200
const maxTables = 20
const maxRowFunctions = 4

/**
 * Judges the text by its syntax tree: every node, field, table, function, operator and type must be an allowed one.
 * So must its size be, however little the tables hold. Throws QueryRefused, whose message names what is not. `tables`
 * are the reporting tables.
 */
export async function judgeQuery(text: string, tables: ReadonlySet<string>): Promise<ParsedSelect> {
  const seen: Seen = { tables: 0, rowFunctions: 0, functions: new Map(), columns: [] }
  const parsed = await parseSelect(text)
  judge('SelectStmt', parsed.select, { tables, ctes: new Set(), depth: 0, seen })
  for (const names of seen.columns) judgeColumn(names, seen)
  const fault = faultOfLedger(minSizeOfQuery(parsed.select))
  if (fault !== undefined) refuse(fault)
  return parsed
}

function judge(kind: string, node: Node, from: Place): void {
  const shape = allowedShapes[kind] ?? refuse(`${describeKind(kind)} is not available in reporting queries.`)
  if (from.depth > deepestNesting) refuse('The SQL is nested too deeply.')
  rules[kind]?.(node, from)
  const place = { ...from, depth: from.depth + 1 }
  if (kind === 'SelectStmt') judgeSelect(node, place, shape)
  else judgeFields(kind, node, place, shape)
}

function judgeFields(kind: string, node: Node, place: Place, shape: (typeof allowedShapes)[string]): void {
  for (const [field, value] of Object.entries(node)) {
    const form = Object.hasOwn(shape, field) ? shape[field] : undefined
    if (form === undefined) refuse(`${describeField(kind, field)} is not available in reporting queries.`)
    if (form === 'plain') continue
    if (form === 'nodes') for (const child of nodesOf(value)) judgeTagged(child, place)
    else if (form === 'node') judgeTagged(nodeOf(value), place)
    else judge(form.kind, nodeOf(value), place)
  }
}

/** A node under its kind's name, as `{"ColumnRef": {…}}`; an empty one stands where a list has a gap. */
function judgeTagged(tagged: Node, place: Place): void {
  for (const [kind, node] of Object.entries(tagged)) judge(kind, nodeOf(node), place)
}

/** A WITH query sees those before it, and the SELECT that they belong to sees them all. */
function judgeSelect(node: Node, place: Place, shape: (typeof allowedShapes)[string]): void {
  const { withClause, ...rest } = node
  const ctes = new Set(place.ctes)
  if (withClause !== undefined) {
    const { ctes: listed, ...clause } = nodeOf(withClause)
    if (clause['recursive']) refuse('WITH RECURSIVE is not available in reporting queries.')
    for (const tagged of nodesOf(listed)) {
      judgeTagged(tagged, { ...place, ctes: new Set(ctes) })
      ctes.add(textOf(nodeOf(tagged['CommonTableExpr'])['ctename']))
    }
  }
  judgeFields('SelectStmt', rest, { ...place, ctes }, shape)
}

const rules: Readonly<Record<string, (node: Node, place: Place) => void>> = {
  CommonTableExpr({ ctematerialized }) {
    if (ctematerialized === 'CTEMaterializeNever') refuse('NOT MATERIALIZED is not available in reporting queries.')
  },
  RangeVar({ schemaname, relname }, { tables, ctes, seen }) {
    seen.tables += 1
    if (seen.tables > maxTables) refuse(`A reporting query may name ${maxTables} tables.`)
    const name = textOf(relname)
    if (schemaname === undefined && ctes.has(name)) return
    if ((schemaname !== undefined && schemaname !== 'reporting') || !tables.has(name)) {
      refuse(`There is no reporting table ${quote(schemaname === undefined ? name : `${textOf(schemaname)}.${name}`)}.`)
    }
  },
  RangeFunction({ alias }, { seen }) {
    if (alias === undefined) refuse('A function in FROM needs an alias.')
    const { aliasname, colnames } = nodeOf(alias)
    const name = textOf(aliasname)
    if (seen.functions.has(name)) refuse(`Two functions in FROM have the alias ${quote(name)}: rename one.`)
    seen.functions.set(name, new Set([name, ...rowFunctionColumns, ...namesOf(colnames)]))
  },
  FuncCall(node, { seen }) {
    if (judgeFunction(node).answersRows) seen.rowFunctions += 1
    if (seen.rowFunctions > maxRowFunctions) {
      refuse(`A reporting query may call ${maxRowFunctions} functions that return several rows.`)
    }
  },
  ColumnRef({ fields }, { seen }) {
    seen.columns.push(namesOf(fields))
  },
  A_Expr({ kind, name, rexpr }) {
    if (kind === 'AEXPR_SIMILAR') refuse('SIMILAR TO is not available in reporting queries.')
    if (kind === 'AEXPR_OP' || kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_OP_ALL') judgeOperator(name, rexpr)
  },
  SubLink({ operName }) {
    if (operName !== undefined) judgeOperator(operName, undefined)
  },
  A_Indirection({ indirection }) {
    // PostgreSQL reads `(value).name` as a call of the function `name`.
    if (nodesOf(indirection).some((part) => !('A_Indices' in part))) {
      refuse('Taking a field of a value is not available in reporting queries: name the column of its table.')
    }
  },
  A_Const({ fval, bsval }) {
    const digits = fval === undefined ? '' : textOf(nodeOf(fval)['fval'])
    if (digits.length > 40 || Number(/e[+-]?(\d+)$/i.exec(digits)?.[1] ?? 0) > 40) refuse('A number is too large.')
    if (bsval !== undefined) refuse('Bit strings are not available in reporting queries.')
  },
  TypeName({ names, typmods }) {
    const parts = namesOf(names)
    const name = parts.at(-1) ?? ''
    const isQualified = parts.length > 1 && !(parts.length === 2 && parts[0] === 'pg_catalog')
    if (isQualified || !allowedTypes.has(name)) {
      refuse(`The type ${quote(parts.join('.'))} is not available in reporting queries.`)
    }
    // An interval's fields are a mask of up to 15 bits.
    if (nodesOf(typmods).some((one) => (integerOf(one) ?? Infinity) > 32_767)) refuse('A type is too long.')
  },
  SQLValueFunction({ op }) {
    if (!allowedValues.has(textOf(op))) {
      refuse(`${textOf(op).replace('SVFOP_', '')} is not available in reporting queries.`)
    }
  },
}

function judgeOperator(name: unknown, right: unknown): void {
  const parts = namesOf(name)
  const [operator = ''] = parts
  if (parts.length !== 1 || !allowedOperators.has(operator)) {
    refuse(`The operator ${quote(parts.join('.'))} is not available in reporting queries.`)
  }
  judgePattern(operator, right)
}

/**
 * PostgreSQL reads `alias.name` as a call of the function `name` where the alias stands for a single value, which only
 * a function in FROM can make it do; of a table, a row would be given, which no harmful function takes.
 */
function judgeColumn(names: readonly string[], { functions }: Seen): void {
  if (names.length > 3 || (names.length === 3 && names[0] !== 'reporting')) {
    refuse(`There is no column ${quote(names.join('.'))}.`)
  }
  const [alias = '', column] = names
  const columns = functions.get(alias)
  if (column !== undefined && columns && column !== '*' && !columns.has(column)) {
    refuse(`There is no column ${quote(names.join('.'))}.`)
  }
}

const quote = (name: string): string => `"${name.slice(0, 100)}"`

const kindNames: Readonly<Record<string, string>> = {
  CollateClause: 'COLLATE',
  RangeTableSample: 'TABLESAMPLE',
  XmlExpr: 'XML',
  XmlSerialize: 'XML',
  RangeTableFunc: 'XMLTABLE',
  JsonTable: 'JSON_TABLE',
  JsonFuncExpr: 'SQL/JSON querying',
  ParamRef: 'A parameter such as $1',
  SetToDefault: 'DEFAULT',
  InsertStmt: 'INSERT',
  UpdateStmt: 'UPDATE',
  DeleteStmt: 'DELETE',
  MergeStmt: 'MERGE',
}
const describeKind = (kind: string): string => kindNames[kind] ?? `This SQL (${kind})`

const fieldNames: Readonly<Record<string, string>> = {
  intoClause: 'SELECT INTO',
  lockingClause: 'FOR UPDATE or FOR SHARE',
  catalogname: 'The name of another database',
  coldeflist: 'A column definition list',
  is_rowsfrom: 'ROWS FROM',
  useOp: 'ORDER BY … USING',
  search_clause: 'SEARCH',
  cycle_clause: 'CYCLE',
  setof: 'SETOF',
  pct_type: '%TYPE',
}
const describeField = (kind: string, field: string): string => fieldNames[field] ?? `This SQL (${kind}.${field})`
