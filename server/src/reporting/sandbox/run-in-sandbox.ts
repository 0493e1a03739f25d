import { sql } from 'kysely'
import type { Connection, Engine } from '../../base/db/connect.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { describeSqlError } from './describe-sql-error.ts'
import { inIsolation, type Within } from './in-isolation.ts'
import { judgeQuery } from './judge-query.ts'
import { measureQuery } from './measure-tables.ts'
import type { Node } from './parse-select.ts'
import { refuse } from './query-refused.ts'
import { asJsonRows, type Report, readReport } from './read-report.ts'
import { missingRole, readSandboxPrivileges, type SandboxPrivileges } from './sandbox-privileges.ts'
import { faultOfLedger, type Ledger, uncountedBytes, workMemoryKilobytes } from './size/ledger.ts'
import { mentionsOf } from './size/size-of-query.ts'

/** For each step of the query, and for all of it, after which its session is ended. */
const statementTimeoutSeconds = 10
const wholeTimeoutMs = 20_000
const endedAfterMs = 25_000
/** Planning computes what is constant in the query, before anything is known of what it costs. */
const planTimeoutSeconds = 2
const planEndedAfterMs = 5_000

/**
 * The planner's estimate above which a query is refused; about a million to ten seconds of work. The embedded engine
 * is slower, and cannot interrupt a statement without losing the copy that it computes on.
 */
const maxCost: Record<Engine, number> = { postgres: 2_000_000, pglite: 300_000 }

export type SandboxedQuery = {
  readonly organizationId: string
  readonly sql: string
  /** Of the query that is run, by which `muster doctor` names a session that does not end. */
  readonly queryId?: string
  /** Names of the reporting tables. */
  readonly tables: ReadonlySet<string>
  /** Joins the transaction before the query does; the query is not run, and nothing is returned, unless it is true. */
  readonly mayRun?: (tx: Tx) => Promise<boolean>
}

/**
 * Runs SQL that an administrator wrote over the reporting tables of one organization. Throws QueryRefused when it may
 * not run or fails by its own fault.
 */
export async function runInSandbox(connection: Connection, query: SandboxedQuery): Promise<Report | undefined> {
  const deadline = performance.now() + wholeTimeoutMs
  return inSandbox(connection, query, (tx, { statement, rowBytes }) =>
    readReport(tx, { statement, rowBytes, deadline }),
  )
}

/** Judges the SQL, has the database plan it, and reads nothing. Throws QueryRefused as `runInSandbox` would. */
export async function tryInSandbox(connection: Connection, query: Omit<SandboxedQuery, 'mayRun'>): Promise<void> {
  await inSandbox(connection, query, async () => {})
}

async function inSandbox<T>(
  connection: Connection,
  query: SandboxedQuery,
  work: (tx: Tx, judged: { statement: string; rowBytes: number }) => Promise<T>,
): Promise<T | undefined> {
  const { select, statement } = await judgeQuery(query.sql, query.tables)
  const { organizationId, queryId } = query
  try {
    return await inIsolation(connection, { organizationId, queryId, mentions: mentionsOf(select) }, (db, within) =>
      within(
        endedAfterMs,
        transact(db, async (tx) => {
          await sql`set transaction isolation level repeatable read`.execute(tx)
          if (query.mayRun && !(await query.mayRun(tx))) return undefined
          await confine(tx, organizationId)
          const ledger = await judge(tx, { organizationId, select, statement, engine: connection.engine, within })
          await set(tx, { statement_timeout: `${statementTimeoutSeconds}s` })
          return work(tx, { statement, rowBytes: ledger.answer })
        }),
      ),
    )
  } catch (error) {
    throw describeSqlError(error, connection.engine) ?? error
  }
}

/** All of it is local to the transaction: whatever ends that gives the session back as it was. */
async function confine(tx: Tx, organizationId: string): Promise<void> {
  await sql`set transaction read only`.execute(tx)
  await set(tx, {
    'muster.organization_id': organizationId,
    search_path: 'pg_catalog, public, pg_temp',
    // The parser and the server must read strings alike.
    standard_conforming_strings: 'on',
    statement_timeout: `${statementTimeoutSeconds}s`,
    lock_timeout: '1s',
    idle_in_transaction_session_timeout: '30s',
    max_parallel_workers_per_gather: '0',
  })
}

type Judged = {
  readonly organizationId: string
  readonly select: Node
  readonly statement: string
  readonly engine: Engine
  readonly within: Within
}

/**
 * Refuses a query that needs too much, by its text, what its tables hold and how the database would run it; then the
 * transaction has what it needs, and the role.
 */
async function judge(tx: Tx, { organizationId, select, statement, engine, within }: Judged): Promise<Ledger> {
  const privileges = await readSandboxPrivileges(tx)
  if (!privileges.hasReportRole) refuse(missingRole, { isPassing: true })
  const measure = (sorts: number) =>
    measureQuery(tx, organizationId, select, (ledger) =>
      faultOfLedger(ledger, privileges.sortsForgetValues ? uncountedBytes(ledger, sorts) : 0),
    )
  await sql`savepoint unplanned`.execute(tx)
  const ledger = await measure(0)
  await configure(tx, ledger, privileges, engine)
  const plan = await within(planEndedAfterMs, planOf(tx, statement))
  if (plan === undefined || worstCost(plan) > maxCost[engine]) {
    refuse('The query would read or combine too many rows: add conditions to its joins, or narrow its tables.')
  }
  const sorts = sortsByOneValue(plan)
  if (!privileges.sortsForgetValues || sorts === 0) return ledger
  // Only the plan tells that there are any, and only the role that was given up for it may measure.
  await sql`rollback to savepoint unplanned`.execute(tx)
  const measured = await measure(sorts)
  await configure(tx, measured, privileges, engine)
  return measured
}

/** What sorts may spill: to a disk, or on the embedded engine, whose copy has none, to memory that grows by copying. */
const maxTemporary = { postgres: '256MB', pglite: '16MB' } as const

/** What the query was judged to need is what it gets, and the role is taken last. */
async function configure(tx: Tx, ledger: Ledger, privileges: SandboxPrivileges, engine: Engine): Promise<void> {
  await set(tx, {
    search_path: 'pg_catalog, reporting, pg_temp',
    statement_timeout: `${planTimeoutSeconds}s`,
    work_mem: `${workMemoryKilobytes(ledger)}kB`,
    hash_mem_multiplier: '1',
    // Tables of hashes grow beyond work_mem where many rows are alike; sorts spill to disk.
    enable_hashjoin: 'off',
    enable_hashagg: 'off',
    enable_memoize: 'off',
    ...(privileges.mayPresortAggregates && { enable_presorted_aggregate: 'off' }),
    ...(privileges.maySetTempFileLimit && { temp_file_limit: maxTemporary[engine] }),
    // The plan that was judged is the one that runs.
    cursor_tuple_fraction: '1',
  })
  await sql`set local role muster_reports`.execute(tx)
}

async function set(tx: Tx, settings: Readonly<Record<string, string>>): Promise<void> {
  await sql`
    select set_config(name, value, true)
    from unnest(${Object.keys(settings)}::text[], ${Object.values(settings)}::text[]) as given (name, value)`.execute(
    tx,
  )
}

type Plan = {
  readonly 'Node Type': string
  readonly 'Total Cost': number
  readonly 'Plan Width': number
  readonly Output?: readonly string[]
  readonly Plans?: readonly Plan[]
}

async function planOf(tx: Tx, text: string): Promise<Plan | undefined> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
    explain (verbose, format json) ${asJsonRows(text)}`.execute(tx)
  return rows[0]?.['QUERY PLAN'][0].Plan
}

/** Of all parts of the plan: above a limit the planner trusts that enough rows are found soon. */
const worstCost = ({ 'Total Cost': cost, Plans: parts = [] }: Plan): number => Math.max(cost, ...parts.map(worstCost))

/** Numbers and times, which a sort keeps in place of a reference to them. */
const widthInPlace = 8

/** Sorts whose rows are a single value, such as a text. */
function sortsByOneValue(plan: Plan): number {
  const { 'Node Type': type, 'Plan Width': width, Output: columns = [], Plans: parts = [] } = plan
  const own = type === 'Sort' && columns.length === 1 && width > widthInPlace ? 1 : 0
  return parts.reduce((sum, part) => sum + sortsByOneValue(part), own)
}
