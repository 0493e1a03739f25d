import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { dayMs, minuteMs, plusMs } from '../../base/time.ts'

const { stage, make, setUp, addKey, arrive, proveIn } = signInStage()

type Visit = Awaited<ReturnType<typeof arrive>>

const later = (ms: number) => stage.setNow(plusMs(stage.now(), ms))

/** Ana on the page of a blocked laptop of hers, and on that of one that is nobody's. */
async function start() {
  const all = await setUp()
  const check = await make.check(all.organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  const issue = await make.issue({ device: all.device, check, at: stage.now() })
  const another = await make.device(all.organizationId, { name: 'ana-x2' })
  const onBlocked = await arrive(all)
  assert.equal((await proveIn(onBlocked, all)).state, 'blocked')
  const onAnother = await arrive(all)
  assert.equal((await proveIn(onAnother, { companion: await addKey(another.id) })).state, 'ask_it')
  return { ...all, issue, onBlocked, onAnother }
}

const told = async () => {
  const count = async (
    table: 'exemption_requests' | 'registration_requests' | 'auth_log_events' | 'audit_logs' | 'events',
  ) => (await stage.db.selectFrom(table).select('organization_id').execute()).length
  return {
    requests: (await count('exemption_requests')) + (await count('registration_requests')),
    rest: [await count('auth_log_events'), await count('audit_logs'), await count('events')],
  }
}

const askOnce = (visit: Visit, issueId: string) =>
  visit.post('exemption', { issue_id: issueId, message: 'I am on a train.' })

async function withdraw(visit: Visit): Promise<void> {
  const { id } = await stage.db
    .selectFrom('exemption_requests')
    .select('id')
    .where('status', '=', 'open')
    .executeTakeFirstOrThrow()
  assert.equal((await visit.post('withdraw', { request_id: id })).status, 200)
}

test('whoever asks IT and withdraws it, again and again, is stopped after 20 times within a day, on every page', async () => {
  const { issue, onBlocked, onAnother } = await start()
  const register = () => onAnother.post('register', { message: 'It is mine.' })
  for (let turn = 0; turn < 10; turn += 1) {
    later(minuteMs)
    assert.equal((await askOnce(onBlocked, issue.id)).status, 200)
    await withdraw(onBlocked)
    assert.equal((await register()).status, 200)
    assert.equal((await onAnother.post('withdraw-registration')).status, 200)
  }
  const before = await told()
  assert.equal(before.requests, 20)
  for (const ask of [() => askOnce(onBlocked, issue.id), register]) {
    const { status, text, headers } = await ask()
    const { message } = JSON.parse(text) as { message: string }
    assert.deepEqual(
      [status, message],
      [429, 'You have asked IT 20 times within a day. Wait for their answers, or call them.'],
    )
    assert.ok(Number(headers['retry-after']) > 23 * 3_600)
  }
  assert.deepEqual(await told(), before, 'nobody is told of what is refused')
})

test('of requests that are made at once no more than 20 are taken, and a day later they may ask again', async () => {
  const set = await start()
  const { person, device, issue, onBlocked, onAnother } = set
  const made = { status: 'withdrawn', requested_at: stage.now(), decided_at: stage.now() } as const
  for (let number = 0; number < 19; number += 1) {
    await make.exemptionRequest({ device, person, issues: [] }, made)
  }
  const asked = await Promise.all([
    askOnce(onBlocked, issue.id),
    onAnother.post('register', { message: 'It is mine.' }),
  ])
  assert.deepEqual(asked.map(({ status }) => status).toSorted(), [200, 429])
  later(dayMs)
  const again = await arrive(set)
  assert.equal((await proveIn(again, set)).status, 200)
  const isOpen = asked[0]?.status === 200
  if (isOpen) await withdraw(again)
  assert.equal((await askOnce(again, issue.id)).status, 200)
})

test('what others ask is not counted, and a first device needs no request', async () => {
  const all = await setUp({ isRegistered: false })
  const ben = await make.person(all.organizationId, { email: 'ben@example.com' })
  const made = { status: 'withdrawn', requested_at: stage.now(), decided_at: stage.now() } as const
  for (const person of [ben, all.person]) {
    for (let number = 0; number < 20; number += 1) {
      await make.exemptionRequest({ device: all.device, person, issues: [] }, made)
    }
  }
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'register')
  assert.equal((await visit.post('register')).status, 200)
})
