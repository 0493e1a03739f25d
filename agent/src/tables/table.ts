/** What SQLite may hand to a table or get from it. */
export type SqlValue = string | number | bigint | null

export type ColumnType = 'TEXT' | 'INTEGER' | 'BIGINT' | 'DOUBLE'

/** One row by column name; a column left out is NULL in SQL and '' on the wire. */
export type Row = Record<string, SqlValue | undefined>

/** A condition of the query that a table asked for: `column = value` or `column LIKE value`. */
export type Constraint = { column: string; op: 'equal' | 'like'; value: SqlValue }

/** What the agent knows about itself; the osquery_* tables read it. */
export type AgentFacts = {
  instanceId: string
  pid: number
  startedAtUnix: number
  configHash: string
  configValid: boolean
  flags: Record<string, string>
  schedule: ScheduleFact[]
}

export type ScheduleFact = {
  name: string
  query: string
  intervalSeconds: number
  executions: number
  lastExecutedUnix: number
  wallTimeMs: number
  lastWallTimeMs: number
  outputBytes: number
  userMs: number
  lastUserMs: number
  systemMs: number
  lastSystemMs: number
  memoryBytes: number
  lastMemoryBytes: number
}

/** One run of one query. `remainingMs` throws QueryTooSlow once the time of the query is used up. */
export type Query = {
  now: Date
  facts: AgentFacts
  remainingMs: () => number
}

export type Table = {
  name: string
  columns: Record<string, ColumnType>
  /** Columns whose conditions `collect` wants to see; `like` takes `=` as well. */
  pushed?: Record<string, 'equal' | 'like'>
  /** The table answers only with a condition on one of its pushed columns. */
  constraintRequired?: boolean
  /** Why nothing can be read, or undefined when it can; asked at each query, `uid` undefined where there are none. */
  notCollected?: (uid: number | undefined) => string | undefined
  collect: (constraints: Constraint[], query: Query) => Iterable<Row>
}

/**
 * Reads a column list such as `name version size:bigint`; a bare name is TEXT.
 * The order is the order of `SELECT *`.
 */
export function columns(list: string): Record<string, ColumnType> {
  const declared: Record<string, ColumnType> = {}
  for (const word of list.trim().split(/\s+/)) {
    const [name = '', type = 'text'] = word.split(':')
    declared[name] = type.toUpperCase() as ColumnType
  }
  return declared
}

/** The values asked for `column` by `=`, as text; undefined when the query does not constrain it so. */
export function wantedValues(constraints: Constraint[], column: string): string[] | undefined {
  const found = constraints.filter((each) => each.column === column && each.op === 'equal')
  return found.length === 0 ? undefined : found.map((each) => String(each.value ?? ''))
}
