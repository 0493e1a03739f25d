import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { generatedQuery } from '../../../test/support/generated-queries.ts'
import { hostileQueries } from '../../../test/support/hostile-queries.ts'
import { makeIn } from '../../../test/support/make.ts'
import { extent } from '../../../test/support/soak.ts'
import type { Tx } from '../../base/db/transact.ts'
import { tableNames } from '../queries/table-names.ts'
import { judgeQuery } from './judge-query.ts'
import { QueryRefused } from './query-refused.ts'
import { runInSandbox } from './run-in-sandbox.ts'
import { maxPeakBytes } from './size/ledger.ts'

/** All of them take minutes: every so many-th is run otherwise. */
const everyNth = extent(12, 1)
const generated = extent(10, 200)

const database = testDatabase()
let organizationId = ''

before(async () => {
  await database.ready
  const make = makeIn(database)
  const mine = await make.organization()
  organizationId = mine.id
  await make.person(organizationId, { name: 'Ours', email: 'ours@example.com' })
  const theirs = await make.organization()
  await make.person(theirs.id, { name: 'Theirmark', email: 'theirmark@example.com' })
})

type Run = { answer: string; peakBytes: number; isRefused: boolean }

/** The session's own memory, shared buffers left out; 0 where the server's processes cannot be seen from here. */
function memoryOf(process: number): number {
  try {
    const [, kilobytes = '0'] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1_024
  } catch {
    return 0
  }
}

async function run(text: string): Promise<Run> {
  let peakBytes = 0
  let timer: NodeJS.Timeout | undefined
  const mayRun = async (tx: Tx) => {
    if (database.connection.engine === 'pglite') return true
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    const pid = Number(rows[0]?.pid)
    timer = setInterval(() => {
      peakBytes = Math.max(peakBytes, memoryOf(pid))
    }, 2)
    return true
  }
  try {
    const report = await runInSandbox(database.connection, { organizationId, sql: text, tables: tableNames, mayRun })
    return { answer: (report?.rows ?? []).map(({ content }) => content).join(), peakBytes, isRefused: false }
  } catch (error) {
    assert.ok(error instanceof QueryRefused, `${text.slice(0, 300)}\n${error instanceof Error ? error.stack : error}`)
    // What was judged to fit does fit: on the embedded engine a query that needs more than it may have is told so.
    assert.notEqual((error.cause as { code?: unknown } | undefined)?.code, '53200', text)
    return { answer: error.message, peakBytes, isRefused: true }
  } finally {
    clearInterval(timer)
  }
}

test('there are hostile queries of every kind, each judged without a database', async () => {
  assert.ok(hostileQueries.length >= 236)
  assert.equal(new Set(hostileQueries.map(({ sql: text }) => text)).size, hostileQueries.length)
  for (const { kind, sql: text } of hostileQueries) {
    const refusal = await judgeQuery(text, tableNames).then(
      () => undefined,
      (error: unknown) => error,
    )
    assert.ok(refusal === undefined || refusal instanceof QueryRefused, `${text}\n${refusal}`)
    const mustBeRefused = kind === 'escape' || kind === 'catalog'
    if (mustBeRefused && !harmless.has(text)) assert.ok(refusal, text)
  }
})

/** Of those that try to get out: PostgreSQL itself knows no such column. */
const harmless = new Set([
  'select person_people.ctid from person_people',
  'select p.tableoid from person_people p',
  'select xmin from person_people',
])

async function runAll(texts: readonly string[]): Promise<void> {
  let refused = 0
  let largest: { bytes: number; text: string } = { bytes: 0, text: '' }
  for (const text of texts) {
    const { answer, peakBytes, isRefused } = await run(text)
    if (isRefused) refused += 1
    assert.doesNotMatch(answer, /theirmark/i, text)
    assert.ok(peakBytes <= maxPeakBytes, `${Math.round(peakBytes / 2 ** 20)} MB: ${text}`)
    if (peakBytes > largest.bytes) largest = { bytes: peakBytes, text }
  }
  const heap = database.connection.heapUse()?.isolated
  console.log(
    `${texts.length} queries, ${refused} refused, at most ${Math.round((heap ?? largest.bytes) / 2 ** 20)} MB${heap === undefined ? `: ${largest.text.slice(0, 200)}` : ' of heap'}`,
  )
  assert.equal((await run('select 1 as one')).answer, '{"one":1}')
}

test('hostile queries stay within their memory, and tell nothing of others', async () => {
  await runAll(hostileQueries.map(({ sql: text }) => text).filter((_, at) => at % everyNth === 0))
})

test('generated queries stay within their memory', async () => {
  await runAll(fc.sample(generatedQuery, { numRuns: generated, seed: 20_261_122 }))
})
