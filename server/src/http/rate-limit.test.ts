import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { type Answer, testApp } from '../../test/support/app.ts'
import { testOnPostgres } from '../../test/support/database.ts'
import { buildApp } from '../app.ts'
import { type Connection, connectPostgres } from '../base/db/connect.ts'
import { createLogger } from '../base/logging.ts'

const limit = 270
/** It ends when the test says so. */
const windowMs = 600_000
const trial = testApp({ env: { MUSTER_RATE_LIMIT_PER_MINUTE: String(limit) }, rateLimitWindowMs: windowMs })
const { ask, addKey } = trial

const whoAmI = (key: string) => ask('GET', '/whoami', { key })
/** The database's clock decides; so the past is moved instead. */
const pass = (ms: number) =>
  sql`update rate_limit_windows set started_at = started_at - ${ms}::integer * interval '1 millisecond'`.execute(
    trial.db,
  )
const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length

test('the first 270 requests of a window pass in order and the 271st is refused, also at once', async () => {
  const key = await addKey()
  const answers = await Promise.all(Array.from({ length: limit + 30 }, () => whoAmI(key)))
  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [limit, 30])
  const remaining = answers.map(({ headers }) => Number(headers['ratelimit-remaining']))
  assert.deepEqual(
    remaining,
    answers.map((_, index) => Math.max(0, limit - 1 - index)),
  )
})

test('every answer tells the limit, and a 429 also when to come again, which then succeeds', async () => {
  const key = await addKey()
  const first = await whoAmI(key)
  assert.equal(first.headers['ratelimit-limit'], '270')
  assert.equal(first.headers['ratelimit-remaining'], '269')
  assert.equal(first.headers['ratelimit-reset'], '600')
  assert.equal(first.headers['ratelimit-policy'], '270;w=600')
  assert.equal(first.headers['retry-after'], undefined)
  await Promise.all(Array.from({ length: limit }, () => whoAmI(key)))
  await pass(700)
  const refused = await whoAmI(key)
  assert.equal(refused.status, 429)
  assert.deepEqual(refused.body, {
    error: 'rate_limited',
    message: 'This key has made too many requests. Wait the number of seconds in Retry-After.',
  })
  assert.equal(refused.headers['ratelimit-remaining'], '0')
  assert.equal(refused.headers['retry-after'], refused.headers['ratelimit-reset'])
  await pass(Number(refused.headers['retry-after']) * 1000)
  const after = await whoAmI(key)
  assert.deepEqual([after.status, after.headers['ratelimit-remaining']], [200, '269'])
})

test('refused requests do not prolong the window', async () => {
  const key = await addKey()
  await Promise.all(Array.from({ length: limit + 1 }, () => whoAmI(key)))
  for (let tenths = 0; tenths < 10; tenths += 1) {
    assert.equal((await whoAmI(key)).status, 429)
    await pass(windowMs / 10)
  }
  assert.equal((await whoAmI(key)).status, 200)
})

test('refusals for other reasons count too, and other keys do not', async () => {
  const [key, other] = [await addKey(), await addKey()]
  await ask('GET', '/audit_logs/999999', { key })
  await ask('GET', '/audit_logs?per_page=0', { key })
  await whoAmI(other)
  assert.equal((await whoAmI(key)).headers['ratelimit-remaining'], '267')
})

testOnPostgres('eight clients in bursts over two processes get exactly 270 answers in each window', async () => {
  const connection = await connectPostgres({ url: trial.database.url ?? '', maxConnections: 4 })
  const appOver = (own: Connection) => {
    const { config, secrets, now: clock } = trial
    return buildApp({
      config,
      connection: own,
      secrets,
      clock,
      log: createLogger('silent'),
      rateLimitWindowMs: windowMs,
    })
  }
  const apps = [appOver(trial.database.connection), appOver(connection)]
  const authorization = `Bearer ${await addKey()}`
  const handedOut = Array.from({ length: limit + 1 }, () => 0)
  let asked = 0
  const isEnough = () => asked >= 5_000 && (handedOut[1] ?? 0) >= 3

  async function request(app: FastifyInstance): Promise<void> {
    const { statusCode, headers } = await app.inject({ url: '/whoami', headers: { authorization } })
    const position = limit - Number(headers['ratelimit-remaining'])
    assert.ok(statusCode === 200 || (statusCode === 429 && position === limit))
    if (statusCode === 200) handedOut[position] = (handedOut[position] ?? 0) + 1
  }

  async function client(app: FastifyInstance): Promise<void> {
    while (!isEnough()) {
      const burst = 1 + Math.floor(Math.random() * 40)
      asked += burst
      await Promise.all(Array.from({ length: burst }, () => request(app)))
    }
  }

  /** A window ends, while requests continue, once all of it is handed out. */
  async function endWindows(): Promise<void> {
    for (let ended = 0; !isEnough(); await pause(5)) {
      if ((handedOut[limit] ?? 0) <= ended) continue
      ended += 1
      await pass(windowMs)
    }
  }

  await Promise.all([endWindows(), ...Array.from({ length: 4 }, () => apps.map(client)).flat()])
  for (const app of apps) await app.close()
  await connection.close()
  // Every window gives each position once, in order; only the last window may be cut off by the end of the test.
  const [, windows = 0] = handedOut
  for (const [position, times] of handedOut.entries()) {
    const isRight = position === 0 ? times === 0 : times === windows || times === windows - 1
    assert.ok(isRight, `position ${position} was handed out ${times} times in ${windows} windows`)
  }
})
