import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testApp } from '../../../test/support/app.ts'
import type { Held } from '../../../test/support/hold-auth-log-end.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { signInSteps } from '../../../test/support/sign-in-steps.ts'
import { extent } from '../../../test/support/soak.ts'
import { type Connection, connectEmbedded, connectPostgres, type EmbeddedConnection } from '../../base/db/connect.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { endAuthLog } from './end-auth-log.ts'
import { expireAuthLogs } from './expire-auth-logs.ts'

const app = testApp()
const make = makeIn(app)
const { start } = signInSteps(app)
const life = 30 * 60_000
const last = plusMs(startOfTests, life - 1)
const over = plusMs(startOfTests, life)

const events = ['auth_logs.success', 'auth_logs.failure']

beforeEach(async () => {
  await app.reset()
  await make.webhookEndpoint(app.tenant.organizationId, { events })
})

async function beginLogs(count: number, now = startOfTests): Promise<string[]> {
  const { id: personId } = await make.person(app.tenant.organizationId)
  const { id: deviceId } = await make.device(app.tenant.organizationId)
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) ids.push(await start({ personId, deviceId, now }))
  return ids
}

const succeed = (db: Db, authLogId: string) =>
  transact(db, (tx) =>
    endAuthLog(tx, { organizationId: app.tenant.organizationId, authLogId, outcome: 'success' }, contextAt(last)),
  )
const deny = (db: Db, authLogId: string) => {
  const end = { organizationId: app.tenant.organizationId, authLogId, outcome: 'denied', reason: 'cancelled' } as const
  return transact(db, (tx) => endAuthLog(tx, end, contextAt(last)))
}
const sweep = (db: Db, limit?: number) => expireAuthLogs(db, () => contextAt(over), limit)

/** What each log says of its end, by everything that says it. */
async function endsIn(db: Db): Promise<Map<string, string>> {
  const logs = await db.selectFrom('auth_logs').select(['id', 'result', 'failure_reason']).orderBy('id').execute()
  const open = await db.selectFrom('auth_log_open_sessions').select('auth_log_id').execute()
  const steps = await db
    .selectFrom('auth_log_events')
    .select('auth_log_id')
    .where('type', '=', 'sign_in_success')
    .execute()
  const news = await db.selectFrom('events').select(['type', 'data']).where('type', 'in', events).execute()
  const messages = await db.selectFrom('webhook_messages').select(['event', 'body']).execute()
  const told = [
    ...news.map(({ type, data }) => [data['authLogId'], `event ${type}`]),
    ...messages.map(({ event, body }) => [/auth_logs\/(\d+)/.exec(body)?.[1], `webhook ${event}`]),
    ...steps.map(({ auth_log_id: id }) => [id, 'step']),
    ...open.map(({ auth_log_id: id }) => [id, 'open']),
  ]
  return new Map(
    logs.map(({ id, result, failure_reason: reason }) => {
      const own = told.filter(([of]) => of === id).map(([, what]) => what)
      return [id, [result, reason, ...own.sort()].join(', ')]
    }),
  )
}

const untold = 'Fail, , open'
const succeeded = 'Success, , event auth_logs.success, step, webhook auth_logs.success'
const failed = (reason: string) => `Fail, ${reason}, event auth_logs.failure, webhook auth_logs.failure`
const ended = { success: succeeded, denied: failed('cancelled'), sweep: failed('abandoned') }

/** Connections of their own, as other processes have; the embedded engine has one process. */
async function openOthers(count: number): Promise<Connection[]> {
  const { url } = app.database
  if (url === undefined) return []
  return Promise.all(Array.from({ length: count }, () => connectPostgres({ url, maxConnections: 4 })))
}

test('of a success, a denial and sweeps that meet, one ends the log, and says so once', async () => {
  const ids = await beginLogs(extent(60, 300))
  const others = await openOthers(3)
  after(() => Promise.all(others.map((other) => other.close())))
  const [first = app.db, second = app.db, third = app.db] = others.map(({ db }) => db)
  const winners = new Map<string, string>()
  const note = (id: string, by: keyof typeof ended) => (isDone: boolean) => isDone && winners.set(id, ended[by])
  // The sweep takes the logs in the order in which they were touched, from the front.
  const calls = ids.toReversed().flatMap((id, index) => {
    const calls = [() => succeed(first, id).then(note(id, 'success')), () => deny(second, id).then(note(id, 'denied'))]
    return index % 2 === 0 ? calls : calls.toReversed()
  })
  const swept = Promise.all([sweep(third, 3), sweep(app.db, 2), sweep(third, 5)])
  const results = await Promise.all(calls.map((call) => call()))
  const sweeps = (await swept).reduce((sum, count) => sum + count, 0)
  assert.equal(results.filter((isDone) => isDone !== false).length, winners.size)
  assert.equal(winners.size + sweeps, ids.length)
  assert.deepEqual(await endsIn(app.db), new Map(ids.map((id) => [id, winners.get(id) ?? ended.sweep])))
})

test('an end whose transaction fails leaves the log open, and another one ends it', async () => {
  const [one = '', other = ''] = await beginLogs(2)
  const failing = (id: string, outcome: { outcome: 'success' } | { outcome: 'denied'; reason: 'cancelled' }) =>
    transact(app.db, async (tx) => {
      const place = { organizationId: app.tenant.organizationId, authLogId: id }
      assert.equal(await endAuthLog(tx, { ...place, ...outcome }, contextAt(last)), true)
      throw new Error('Too bad')
    })
  await assert.rejects(failing(one, { outcome: 'success' }), /Too bad/)
  await assert.rejects(failing(other, { outcome: 'denied', reason: 'cancelled' }), /Too bad/)
  for (const end of (await endsIn(app.db)).values()) assert.equal(end, untold)
  assert.equal(await deny(app.db, one), true)
  assert.equal(await succeed(app.db, other), true)
  assert.deepEqual(
    await endsIn(app.db),
    new Map([
      [one, ended.denied],
      [other, ended.success],
    ]),
  )
})

const script = fileURLToPath(new URL('../../../test/support/hold-auth-log-end.ts', import.meta.url))

async function killAt(held: Held): Promise<void> {
  const child = spawn(process.execPath, [script, JSON.stringify(held)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [said] = await Promise.race([once(child.stdout, 'data'), exited])
  assert.equal(String(said), 'held\n')
  child.kill('SIGKILL')
  await exited
}

/** Where processes of their own find what is in the database of the test, and how the test looks at it after them. */
async function placeOfProcesses(): Promise<{ place: Held['place']; open: () => Promise<Connection> }> {
  const { url, connection } = app.database
  if (url !== undefined) return { place: { url }, open: async () => connection }
  const folder = mkdtempSync(join(tmpdir(), 'muster-auth-logs-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const place = { dataDir: join(folder, 'data') }
  const copied = await connectEmbedded({ ...place, snapshot: await (connection as EmbeddedConnection).snapshot() })
  await copied.close()
  return {
    place,
    async open() {
      const opened = await connectEmbedded(place)
      after(() => opened.close())
      return opened
    },
  }
}

test('a process that is killed anywhere in an end has ended the log and said so, or neither', async () => {
  const points = [1, 2, 3, 'uncommitted', 'committed'] as const
  const rounds = Array.from({ length: extent(1, 5) }, () => points).flat()
  // Only these are due where a process sweeps, one at a time.
  const due = await beginLogs(rounds.length, plusMs(startOfTests, -life))
  const ids = { success: await beginLogs(rounds.length), denied: await beginLogs(rounds.length), sweep: due }
  const { place, open } = await placeOfProcesses()
  const held = { place, organizationId: app.tenant.organizationId }
  const expected = new Map<string, string>()
  for (const [index, at] of rounds.entries()) {
    for (const by of ['success', 'denied', 'sweep'] as const) {
      const authLogId = ids[by][index] ?? ''
      await killAt({ ...held, by, at, authLogId, now: by === 'sweep' ? startOfTests : last })
      expected.set(authLogId, at === 'committed' ? ended[by] : untold)
    }
  }
  const { db } = await open()
  const found = await endsIn(db)
  const sorted = (ends: ReadonlyMap<string, string>) => due.map((id) => ends.get(id)).sort()
  assert.deepEqual(sorted(found), sorted(expected))
  for (const id of [...ids.success, ...ids.denied]) assert.equal(found.get(id), expected.get(id))
  // PostgreSQL needs a moment to see that a process is gone, and the sweep passes over what it still holds.
  const left = [...found].filter(([, end]) => end === untold)
  let swept = 0
  await until(60_000, async () => {
    swept += await sweep(db)
    return swept >= left.length
  })
  assert.equal(await sweep(db), 0)
  assert.deepEqual(await endsIn(db), new Map([...found, ...left.map(([id]) => [id, ended.sweep] as const)]))
})
