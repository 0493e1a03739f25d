import { mock } from 'node:test'
import pg from 'pg'

/** What a statement read while it ran, with the statements of its triggers and functions apart. */
export type Touched = {
  text: string
  /** Rows that scans found or threw away, and pairs that joins threw away. */
  rows: number
  /** Of tables and indexes. */
  blocks: number
}

type Plan = Readonly<Record<string, unknown>> & { Plans?: readonly Plan[] }

/** From now on, sessions of this database tell each statement's plan to their client, with what it really cost. */
export async function tellPlans(url: string, further: Readonly<Record<string, string>> = {}): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const settings = {
      session_preload_libraries: 'auto_explain',
      'auto_explain.log_min_duration': '0',
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_buffers': 'on',
      'auto_explain.log_timing': 'off',
      'auto_explain.log_nested_statements': 'on',
      'auto_explain.log_format': 'json',
      'auto_explain.log_level': 'notice',
      ...further,
    }
    const { database } = client
    for (const [name, value] of Object.entries(settings)) {
      await client.query(`alter database ${client.escapeIdentifier(database ?? '')} set ${name} = '${value}'`)
    }
    // Those of the pools, which open others.
    await client.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`)
  } finally {
    await client.end()
  }
}

/** The statements that `work` runs, by whatever connection of this process. */
export async function touchedBy(work: () => Promise<unknown>): Promise<Touched[]> {
  const touched: Touched[] = []
  const { emit } = pg.Client.prototype
  const listening = mock.method(
    pg.Client.prototype,
    'emit',
    function (this: pg.Client, event: string, ...rest: unknown[]) {
      const [notice] = rest as [{ message?: string }?]
      const plan = event === 'notice' ? planOf(notice?.message ?? '') : undefined
      if (plan) touched.push(plan)
      return Reflect.apply(emit, this, [event, ...rest])
    },
  )
  try {
    await work()
  } finally {
    listening.mock.restore()
  }
  return touched
}

function planOf(message: string): Touched | undefined {
  const json = /^duration: .*?plan:\n(.*)$/s.exec(message)?.[1]
  if (json === undefined) return undefined
  const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: Plan }
  return { text, rows: rowsOf(plan), blocks: number(plan, 'Shared Hit Blocks') + number(plan, 'Shared Read Blocks') }
}

/** Averages of loops are told as whole numbers, so a loop counts as a row at least. */
function rowsOf(plan: Plan): number {
  const dropped = number(plan, 'Rows Removed by Filter') + number(plan, 'Rows Removed by Join Filter')
  const found = String(plan['Node Type']).endsWith('Scan') ? Math.max(1, number(plan, 'Actual Rows')) : 0
  const own = number(plan, 'Actual Loops') * (found + dropped + number(plan, 'Rows Removed by Index Recheck'))
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), own)
}

const number = (plan: Plan, name: string): number => Number(plan[name] ?? 0)
