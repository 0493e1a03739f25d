import { systemChange } from '../../src/base/change-context.ts'
import { systemClock } from '../../src/base/clock.ts'
import { loadConfig } from '../../src/base/config/load-config.ts'
import { type Db, type Reader, transact } from '../../src/base/db/transact.ts'
import { openDeployment } from '../../src/open-deployment.ts'
import { createQuery } from '../../src/reporting/queries/create-query.ts'
import { firstResults, listQueries, listResults, placeOfResult } from '../../src/reporting/queries/queries.ts'
import { storeRun } from '../../src/reporting/queries/store-run.ts'
import { boundRow, type ReportRow } from '../../src/reporting/sandbox/report-row.ts'
import { type Bench, count, type Figure, type Finding, ms } from '../figure.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { openTrial } from '../trial/open-trial.ts'

const queries = 10
const rowsOfResult = 10_000
const perPage = 100
const listedBytes = 400_000

export const reports: Figure = { number: '13', title: 'Results of reporting queries', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'reports')
  try {
    await trial.ready()
    const { connection } = await openDeployment(loadConfig(trial.env), systemClock, { api: true, worker: false })
    try {
      const { db } = connection
      const ids = await createQueries(db, trial.organizationId)
      const measure = measureBy(await watchDatabase(trial.databaseUrl))
      const versions = [rowsOf(0), rowsOf(1)]
      const store = (version: number) => storeAll(db, trial.organizationId, ids, versions[version % 2] ?? [])
      say(`${queries} results of ${count(rowsOfResult)} rows, stored ${scale.rounds + 2} times`)
      await store(0)
      await store(1)
      const bytes = await bytesOnDisk(connection.executeScript)
      const changed = await measure(scale.rounds * queries, async () => {
        for (let round = 1; round <= scale.rounds; round += 1) await store(round + 1)
      })
      const unchanged = await measure(scale.rounds * queries, async () => {
        for (let round = 1; round <= scale.rounds; round += 1) await store(scale.rounds + 1)
      })
      say('reading them')
      await walk(db, trial.organizationId, ids)
      const pages = scale.rounds * queries * (rowsOfResult / perPage)
      const page = await measure(pages, () => repeat(scale.rounds, () => walk(db, trial.organizationId, ids)))
      const lists = scale.rounds * 50
      const list = await measure(lists, () => repeat(lists, () => readFirst(db, trial.organizationId)))
      return [
        finding(`a result of ${count(rowsOfResult)} rows stored`, changed),
        finding('the same result stored again', unchanged),
        finding(`a page of ${perPage} rows`, page),
        finding(`the first rows of ${queries} results, ${count(listedBytes)} bytes in all`, list),
        {
          ...finding('', ''),
          what: 'a result and the one before on disk',
          ours: `${count(bytes / queries / 1_000)} kB`,
        },
      ]
    } finally {
      await connection.close()
    }
  } finally {
    await trial.remove()
  }
}

const finding = (what: string, ours: string): Finding => ({
  ...{ figure: '13', what, ours, limit: '', ratio: '', target: '', isMet: undefined },
})

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let done = 0; done < times; done += 1) await work()
}

/** Processor time of this process, in which the embedded engine is a thread, and of the database. */
const measureBy =
  (databaseMs: (() => Promise<number>) | undefined) =>
  async (pieces: number, work: () => Promise<void>): Promise<string> => {
    const databaseBefore = (await databaseMs?.()) ?? 0
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    const database = ((await databaseMs?.()) ?? 0) - databaseBefore
    const own = (user + system) / 1_000
    const parts = databaseMs ? ` (process ${ms(own / pieces)}, database ${ms(database / pieces)})` : ''
    return `${ms((own + database) / pieces)} of processor time${parts}`
  }

const createQueries = (db: Db, organizationId: string): Promise<string[]> =>
  transact(db, async (tx) => {
    const ids: string[] = []
    for (let made = 1; made <= queries; made += 1) {
      const query = { organizationId, name: `Report ${made}`, sql: 'select 1 as one', interval: 86_400 }
      ids.push(await createQuery(tx, { ...query }, systemChange(organizationId, systemClock())))
    }
    return ids
  })

async function storeAll(
  db: Db,
  organizationId: string,
  ids: readonly string[],
  rows: readonly ReportRow[],
): Promise<void> {
  const outcome = {
    columns: ['device_id', 'device_name', 'program', 'version', 'last_seen_at'],
    rows,
    isTruncated: false,
  }
  for (const queryId of ids) {
    const run = { organizationId, queryId, revision: '1', outcome, startedAt: systemClock() }
    await transact(db, (tx) => storeRun(tx, run))
  }
}

function rowsOf(version: number): ReportRow[] {
  return Array.from({ length: rowsOfResult }, (_, at) =>
    boundRow(
      JSON.stringify({
        device_id: String(at),
        device_name: `MacBook Pro of person ${at}`,
        program: 'Zoë’s Browser',
        version: `${version}.0.${at % 7}`,
        last_seen_at: '2026-11-20T10:00:00.000Z',
      }),
    ),
  )
}

/** Every page of every result. */
async function walk(reader: Reader, organizationId: string, ids: readonly string[]): Promise<void> {
  const page = {
    organizationId,
    search: undefined,
    limit: perPage + 1,
    order: 'ascending' as const,
    now: systemClock(),
  }
  for (const queryId of ids) {
    let read = 0
    for (let after: string | undefined; ; ) {
      const rows = await listResults(reader, { ...page, params: { queryId }, after })
      const last = rows[perPage - 1]
      read += Math.min(rows.length, perPage)
      if (rows.length <= perPage || last === undefined) break
      after = placeOfResult(last)
    }
    if (read !== rowsOfResult) throw new Error(`${read} rows were read`)
  }
}

async function readFirst(reader: Reader, organizationId: string): Promise<void> {
  const page = { organizationId, params: {}, search: undefined, after: undefined, limit: 101 }
  const found = await listQueries(reader, { ...page, order: 'ascending', now: systemClock() })
  const results = await firstResults(reader, organizationId, found, listedBytes)
  if (results.size !== queries) throw new Error(`${results.size} results were read`)
}

async function bytesOnDisk(executeScript: (sql: string) => Promise<Record<string, unknown>[]>): Promise<number> {
  const [row] = await executeScript(`
    select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname like 'reporting_query\\_%'`)
  return Number(row?.['bytes'])
}
