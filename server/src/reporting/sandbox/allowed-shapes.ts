/** How a field of a syntax node is read: a value, a node, a list of nodes, or a node that the field's type names. */
export type FieldShape = 'plain' | 'node' | 'nodes' | { readonly kind: string }

const plain = (names: string): Record<string, FieldShape> =>
  Object.fromEntries(names.split(' ').map((name) => [name, 'plain']))

const select = { kind: 'SelectStmt' } as const
const alias = { kind: 'Alias' } as const

/**
 * The whole of PostgreSQL's syntax tree that a reporting query may use, node by node and field by field (names as in
 * the server's parsenodes.h). What is not here is refused, whatever it means: SELECT INTO, FOR UPDATE, XML, sampling,
 * and all that later versions add.
 */
export const allowedShapes: Readonly<Record<string, Readonly<Record<string, FieldShape>>>> = {
  SelectStmt: {
    ...plain('limitOption op all groupDistinct'),
    ...{ distinctClause: 'nodes', targetList: 'nodes', fromClause: 'nodes', whereClause: 'node' },
    ...{ groupClause: 'nodes', havingClause: 'node', windowClause: 'nodes', valuesLists: 'nodes' },
    ...{ sortClause: 'nodes', limitOffset: 'node', limitCount: 'node' },
    ...{ withClause: { kind: 'WithClause' }, larg: select, rarg: select },
  },
  WithClause: { ...plain('location'), ctes: 'nodes' },
  CommonTableExpr: { ...plain('ctename ctematerialized location'), aliascolnames: 'nodes', ctequery: 'node' },
  ResTarget: { ...plain('name location'), val: 'node' },
  RangeVar: { ...plain('schemaname relname inh relpersistence location'), alias },
  RangeSubselect: { ...plain('lateral'), subquery: 'node', alias },
  RangeFunction: { ...plain('lateral ordinality'), functions: 'nodes', alias },
  JoinExpr: {
    ...plain('jointype isNatural'),
    ...{ larg: 'node', rarg: 'node', usingClause: 'nodes', join_using_alias: alias, quals: 'node', alias },
  },
  Alias: { ...plain('aliasname'), colnames: 'nodes' },
  ColumnRef: { ...plain('location'), fields: 'nodes' },
  A_Star: {},
  A_Const: plain('ival fval boolval sval bsval isnull location'),
  A_Expr: { ...plain('kind name rexpr_list_start rexpr_list_end location'), lexpr: 'node', rexpr: 'node' },
  BoolExpr: { ...plain('boolop location'), args: 'nodes' },
  NullTest: { ...plain('nulltesttype location'), arg: 'node' },
  BooleanTest: { ...plain('booltesttype location'), arg: 'node' },
  CaseExpr: { ...plain('location'), arg: 'node', args: 'nodes', defresult: 'node' },
  CaseWhen: { ...plain('location'), expr: 'node', result: 'node' },
  CoalesceExpr: { ...plain('location'), args: 'nodes' },
  MinMaxExpr: { ...plain('op location'), args: 'nodes' },
  FuncCall: {
    ...plain('funcname agg_within_group agg_star agg_distinct func_variadic funcformat location'),
    ...{ args: 'nodes', agg_order: 'nodes', agg_filter: 'node', over: { kind: 'WindowDef' } },
  },
  NamedArgExpr: { ...plain('name argnumber location'), arg: 'node' },
  TypeCast: { ...plain('location'), arg: 'node', typeName: { kind: 'TypeName' } },
  TypeName: { ...plain('names typemod location'), typmods: 'nodes', arrayBounds: 'nodes' },
  SQLValueFunction: plain('op typmod location'),
  SubLink: { ...plain('subLinkType operName location'), testexpr: 'node', subselect: 'node' },
  SortBy: { ...plain('sortby_dir sortby_nulls location'), node: 'node' },
  WindowDef: {
    ...plain('name refname frameOptions location'),
    ...{ partitionClause: 'nodes', orderClause: 'nodes', startOffset: 'node', endOffset: 'node' },
  },
  GroupingSet: { ...plain('kind location'), content: 'nodes' },
  GroupingFunc: { ...plain('location'), args: 'nodes' },
  A_ArrayExpr: { ...plain('location list_start list_end'), elements: 'nodes' },
  A_Indirection: { arg: 'node', indirection: 'nodes' },
  A_Indices: { ...plain('is_slice'), lidx: 'node', uidx: 'node' },
  RowExpr: { ...plain('row_format location'), args: 'nodes' },
  List: { items: 'nodes' },
  String: plain('sval'),
  Integer: plain('ival'),
}
