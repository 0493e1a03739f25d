import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { plusMs } from '../../base/time.ts'
import { limits } from '../sessions/session-rules.ts'
import { sessionWaits } from './session-waits.ts'

const { stage, setUp, arrive, addStillUpstream, proveIn } = signInStage()

type Visit = Awaited<ReturnType<typeof arrive>>

/** What a held request is answered with. */
async function newsOf(visit: Visit, seen = ''): Promise<{ status: number; mark: string | undefined }> {
  const { status, text } = await visit.go(`${visit.path}/news?seen=${seen}`)
  return { status, mark: status === 200 ? (JSON.parse(text) as { mark: string }).mark : undefined }
}

const markOf = async (visit: Visit) => (await newsOf(visit)).mark ?? assert.fail('No mark')

test('two pages of a sign-in wait for its news, a third asks by itself', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const seen = await markOf(visit)
  const held = [1, 2, 3].map(() => newsOf(visit, seen))
  assert.equal((await Promise.race(held)).status, 429)
  assert.equal((await proveIn(visit, all)).state, 'passed')
  const statuses = (await Promise.all(held)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 200, 429])
  for (const { mark } of await Promise.all(held)) assert.notEqual(mark, seen)
  // The places are free again.
  assert.equal((await newsOf(visit, seen)).status, 200)
})

test('of one network six pages wait whose people nobody has vouched for', async () => {
  const all = await setUp({ connection: { upstreamId: await addStillUpstream() } })
  const visits: Visit[] = []
  const known = new Set<string>()
  for (let count = 0; count < 7; count += 1) {
    // The browser is at the identity provider meanwhile; Back shows the page.
    const visit = await arrive(all, 'ana@example.com', false)
    const ids = (await stage.db.selectFrom('signin_sessions').select('id').execute()).map(({ id }) => id)
    visits.push({ ...visit, path: `/signin/${ids.find((id) => !known.has(id))}` })
    for (const id of ids) known.add(id)
  }
  const marks = await Promise.all(visits.slice(0, 6).map(markOf))
  const held = visits.map((visit, at) => newsOf(visit, marks[at] ?? (marks[0] as string)))
  assert.equal((await Promise.race(held)).status, 429)
  await stage.db.updateTable('signin_sessions').set({ revision: sql`revision + 1` }).execute()
  const statuses = (await Promise.all(held)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [...Array.from({ length: 6 }, () => 200), 429])
})

test('pages of strangers from many networks take no place of people who were signed for, nor all of another organization', async () => {
  const waits = sessionWaits(stage.db, stage.now, assert.ifError)
  const ending = new AbortController()
  let pages = 0
  const waiting: Promise<unknown>[] = []
  /** Whether a page of a sign-in that is new waits: its mark stays what was seen. */
  const holds = async (organizationId: string, evidence: 'asserted' | 'none') => {
    pages += 1
    const session = { id: `page ${pages}`, organization_id: organizationId, evidence }
    const caller = { address: `10.${pages >> 8}.${pages & 255}.1`, signal: ending.signal }
    const mark = waits.markAfter(session, 'gone', caller)
    waiting.push(mark)
    // A refusal comes before anything is read.
    const isRefused = await Promise.race([mark.then((found) => found === undefined), turn(false)])
    return !isRefused
  }
  try {
    for (let count = 0; count < 250; count += 1) assert.equal(await holds('1', 'none'), true, String(count))
    assert.equal(await holds('1', 'none'), false)
    assert.equal(await holds('1', 'asserted'), true)
    assert.equal(await holds('2', 'none'), true)
  } finally {
    ending.abort()
    await Promise.all(waiting)
  }
  const again = new AbortController()
  const caller = { address: '10.0.0.1', signal: again.signal }
  const held = waits.markAfter({ id: 'later', organization_id: '1', evidence: 'none' }, 'gone', caller)
  again.abort()
  assert.equal(await held, 'gone', 'The places are free again')
  waits.stop()
})

test('the moments at which a page changes by itself are news', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const startedAt = stage.now()
  const set = (change: object) => stage.db.updateTable('signin_sessions').set(change).execute()
  for (const [change, ms] of [
    [{ evaluating_since: startedAt }, limits.evaluatingMs],
    [{ rechecked_at: startedAt }, limits.recheckMs],
    [{ waits_until: plusMs(startedAt, 300_000) }, 300_000 - 20_000],
  ] as const) {
    await set(change)
    stage.setNow(plusMs(startedAt, ms - 1))
    const before = await markOf(visit)
    stage.setNow(plusMs(startedAt, ms))
    assert.notEqual((await newsOf(visit, before)).mark, before, JSON.stringify(change))
    stage.setNow(startedAt)
  }
})
