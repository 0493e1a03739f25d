import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testOnPostgres } from '../../../test/support/database.ts'
import { until } from '../../../test/support/muster-process.ts'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'

const { stage, setUp, addStillUpstream, arrive, proveIn, finishPath } = signInStage()

const startUrl = 'https://payroll.example/start'
const withStart = () => setUp({ connection: { startUrl } })
const again = `href="${startUrl.replaceAll('/', '&#47;')}">Open Payroll again</a>`

/** The page leads to the application again, and says why. */
function leadsAgain({ status, text }: { status: number; text: string }, wanted: { status: number; words: RegExp }) {
  assert.equal(status, wanted.status, text)
  assert.match(text, wanted.words)
  assert.ok(text.replaceAll('&#47;', '/').includes(again.replaceAll('&#47;', '/')), text)
  assert.equal(text.includes('You’re in'), false)
}

test('an answered sign-in gets no other answer, and leads to the application again', async () => {
  const all = await withStart()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const path = await finishPath(visit)
  assert.match((await visit.follow(path)).away ?? '', /code=/)
  const { reply, path: last, away } = await visit.follow(path)
  assert.deepEqual([last, away], [path, undefined])
  leadsAgain(reply, { status: 410, words: /This sign-in is already answered.*Payroll got its answer\./s })
  const page = await visit.go(visit.path)
  leadsAgain(page, { status: 200, words: /data-state="ended".*This sign-in has ended/s })
  assert.equal(/data-finish="/.test(page.text), false)
})

testOnPostgres('a sign-in that is dropped while its page is read is answered as gone', async () => {
  const visit = await arrive(await setUp())
  const [locked, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const dropping = transact(stage.db, async (tx) => {
    await sql`lock table people in access exclusive mode`.execute(tx)
    locked.resolve()
    await read.promise
    await tx.deleteFrom('signin_sessions').execute()
  })
  await locked.promise
  const answers = [visit.go(visit.path), visit.go(`${visit.path}/region`)]
  await until(30_000, async () => {
    const waiting = sql`select 1 from pg_locks where not granted and relation = 'people'::regclass`
    return (await waiting.execute(stage.db)).rows.length === answers.length
  })
  read.resolve()
  await dropping
  for (const { status, text } of await Promise.all(answers)) {
    assert.equal(status, 404)
    assert.match(text, /This sign-in has ended/)
  }
})

test('a sign-in that is not over leads back to its page, however often its answer is asked for', async () => {
  const all = await withStart()
  const visit = await arrive(all)
  const uids = stage.db.selectFrom('signin_sessions').select('interaction_uid')
  const { interaction_uid: uid } = await uids.executeTakeFirstOrThrow()
  for (let turn = 0; turn < 3; turn += 1) {
    const { status, headers } = await visit.go(`/signin/oidc/auth/${uid}`)
    assert.deepEqual([status, headers['location']], [303, visit.path])
  }
  assert.deepEqual(await uids.execute(), [{ interaction_uid: uid }])
  assert.equal((await proveIn(visit, all)).state, 'passed')
})

for (const [what, setting, words] of [
  ['passes', {}, 'this computer is all good, so the next try takes seconds'],
  ['is let in by observe', { authState: 'blocked', connection: { mode: 'observe' } }, 'Open Payroll again to continue'],
  ['waits for IT', { isRegistered: false, connection: {} }, 'Open Payroll again to continue'],
] as const) {
  test(`after the deadline a device that ${what} is told so, and the page leads nowhere by itself`, async () => {
    const all = await setUp(setting)
    if (what === 'waits for IT') await stage.db.updateTable('people').set({ has_used_first_trust: true }).execute()
    const visit = await arrive(all)
    await proveIn(visit, all)
    stage.setNow(plusMs(stage.now(), 600_000))
    const { text } = await visit.go(visit.path)
    assert.match(text, /data-state="too_late"/)
    assert.ok(text.includes(words), text)
    assert.equal(/data-(?:finish|ready)="/.test(text), false)
  })
}

test('one request too many names the application', async () => {
  const all = await setUp({ connection: { startUrl, upstreamId: await addStillUpstream() } })
  for (let count = 0; count < 60; count += 1) await arrive(all, 'ana@example.com', false)
  const { reply } = await arrive(all, 'ana@example.com', false)
  leadsAgain(reply, { status: 429, words: /Too many sign-ins.*Wait 10 minutes\./s })
})

test('without a start address the page says which application to open', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const path = await finishPath(visit)
  await visit.follow(path)
  const { text } = await visit.go(path)
  assert.match(text, /Payroll got its answer\. Open Payroll again\./)
  assert.equal(/<a /.test(text), false)
})

test('a browser that did not begin the sign-in is not told the application', async () => {
  const all = await withStart()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const path = await finishPath(visit)
  await visit.follow(path)
  const other = await arrive(all)
  for (const address of [path, visit.path]) {
    assert.equal(/Payroll/.test((await other.go(address)).text), false, address)
  }
})
