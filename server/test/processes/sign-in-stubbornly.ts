import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/transact.ts'
import type { BrokerPlace } from './broker-place.ts'
import type { SignInPlace } from './sign-in-place.ts'

/** Takes a step again and again, until no fault gets in its way. */
export type Step = <Answer>(work: () => Promise<Answer>) => Promise<Answer>

type Visit = Awaited<ReturnType<SignInPlace['onPage']>>

/**
 * One person's way to the application, directly or by an upstream, while faults come. `answered`: a fault took the code away
 * after it was committed.
 */
export async function signInStubbornly(place: SignInPlace | BrokerPlace, step: Step): Promise<'code' | 'answered'> {
  const visit = await ('provider' in place ? comeByUpstream(place, step) : comeDirectly(place, step))
  // One person signs in again and again here, which is a loop where people are.
  await step(() => visit.post('once-more'))
  for (let turn = 0; turn < 20 && (await step(visit.region)).state !== 'passed'; turn += 1) await step(visit.prove)
  const path = await step(visit.finishPath)
  const { reply, away } = await step(() => visit.browser.follow(path))
  if (away !== undefined) {
    assert.match(away, /[?&]code=/)
    return 'code'
  }
  assert.match(reply.text, /got its answer/, `${reply.status} ${reply.text}`)
  return 'answered'
}

/** A request counts once: one whose process was killed after it was taken is sent anew by the application. */
const comeDirectly = (all: SignInPlace, step: Step): Promise<Visit> =>
  step(async () => (await all.arrive()).begin().catch(again))

const again = (error: unknown): never => {
  throw error instanceof assert.AssertionError ? new Error('The request was used up by a step that failed') : error
}

/** A sign-in leads to its upstream ten times at most. Where faults used them up, the person starts from the application again. */
async function comeByUpstream(broker: BrokerPlace, step: Step): Promise<Visit> {
  for (let starts = 0; starts < 20; starts += 1) {
    const visit = await comeOnceByUpstream(broker, step)
    if (visit !== undefined) return visit
  }
  return assert.fail('Twenty sign-ins led to the upstream too often')
}

/** An answer of the upstream is taken once as well: where a fault took what it said away, the person goes there once more. */
async function comeOnceByUpstream(broker: BrokerPlace, step: Step): Promise<Visit | undefined> {
  const { arrived, away } = await step(async () => {
    const arrived = broker.arrive()
    const { away } = await arrived.leave()
    if (away === undefined) throw new Error('The request began nothing')
    return { arrived, away }
  })
  for (let at = away; ; ) {
    const callback = await arrived.signIn(at)
    const visit = await step(() => arrived.onPage(callback))
    if ((await step(visit.region)).state !== 'identifying') return visit
    const { status, headers } = await step(() => visit.post('identify'))
    if (status === 429) return undefined
    at = headers['location'] ?? assert.fail('The page leads to no upstream')
  }
}

/** So many sign-ins have ended, each in one success, with one code, one step of its log and one announcement. */
export async function assertEachEndedOnce(db: Db, signIns: number): Promise<void> {
  const answered = db.selectFrom('signin_sessions').select('id').where('answered_at', 'is not', null)
  const records = db.selectFrom('oidc_records').select('grant_id').where('kind', '=', 'AuthorizationCode')
  const logs = await db.selectFrom('auth_logs').select('id').where('result', '=', 'Success').execute()
  const events = db.selectFrom('events').select('type').where('type', 'like', 'auth_logs.%')
  const steps = db.selectFrom('auth_log_events').select('auth_log_id').where('type', '=', 'sign_in_success')
  const [codes, told, ends] = [await records.execute(), await events.execute(), await steps.execute()]
  const counts = [await answered.execute(), codes, logs, told, ends].map((rows) => rows.length)
  assert.deepEqual(new Set(counts), new Set([signIns]), `${counts}`)
  assert.deepEqual(new Set(ends.map((row) => row.auth_log_id)), new Set(logs.map(({ id }) => id)))
  assert.equal(new Set(codes.map((row) => row.grant_id)).size, signIns)
  assert.deepEqual([...new Set(told.map(({ type }) => type))], ['auth_logs.success'])
}
