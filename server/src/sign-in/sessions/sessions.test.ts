import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOfProof } from '../../../test/support/answer-of-proof.ts'
import { signInBrowser } from '../../../test/support/sign-in-browser.ts'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { deprovisionPerson } from '../../administration/registrations/deprovision-person.ts'
import { registerDevice } from '../../administration/registrations/register-device.ts'
import { decideRegistrationRequest } from '../../administration/requests/decide-registration-request.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { expireAuthLogs } from '../auth-logs/expire-auth-logs.ts'
import { dropExpiredRecords } from '../oidc/drop-expired-records.ts'

const { stage, make, change, setUp, addKey, epochOf, arrive, proveIn, finishPath, tokensOf } = signInStage()

type SetUp = Awaited<ReturnType<typeof setUp>>
type Visit = Awaited<ReturnType<typeof arrive>>
type Strategy = 'block_immediately' | 'notify_only' | 'report_only'

const later = (ms: number) => stage.setNow(plusMs(stage.now(), ms))
const checkOf = (strategy: Strategy, columns: { issue_title?: string; primary_key_column?: string } = {}) =>
  make.check(stage.tenant.organizationId, { ...columns, configuration: { remediation_strategy: strategy } })
/** Holds the blocks of a check that come from now on. Returns the hold's identifier. */
async function hold(checkId: string): Promise<string> {
  const { organizationId: organization_id } = stage.tenant
  const values = { organization_id, check_id: checkId, began_at: stage.now(), owner_limit: 10 }
  return (await stage.db.insertInto('block_holds').values(values).returning('id').executeTakeFirstOrThrow()).id
}
const stateOn = async (visit: Visit) => /data-state="(\w+)"/.exec((await visit.go(`${visit.path}/region`)).text)?.[1]
const events = async () =>
  (await stage.db.selectFrom('auth_log_events').select(['type', 'description']).orderBy('position').execute()).map(
    ({ type, description }) => `${type}: ${description}`,
  )
const typesOf = async () => (await events()).map((line) => line.split(':')[0])
const failuresOf = async () =>
  (await stage.db.selectFrom('events').select('type').where('type', 'like', 'auth_logs.%').orderBy('id').execute()).map(
    ({ type }) => type,
  )

test('of several devices that answer, the one that is registered to the person counts, and only that one is in the log', async () => {
  const all = await setUp()
  const other = await make.person(all.organizationId, { email: 'ben@example.com' })
  const [foreign, ownerless] = [await make.device(all.organizationId), await make.device(all.organizationId)]
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: foreign.id, personId: other.id }, change()))
  const keys = [await addKey(foreign.id), await addKey(ownerless.id), all.companion]
  const visit = await arrive(all)
  const proofs: string[] = []
  for (const key of keys) proofs.push(await key.prove(await visit.challenge(), await epochOf(key.kid)))
  const { text } = await visit.post('proof', { proofs: ['nonsense', ...proofs] })
  assert.deepEqual(answerOfProof(text), { state: 'passed' })
  const logs = await stage.db.selectFrom('auth_logs').select('device_id').execute()
  assert.deepEqual(logs, [{ device_id: all.device.id }])
})

test('checks that last ran too long ago run before the device is judged, and for eight seconds at most', async () => {
  const all = await setUp()
  const configuration = { remediation_strategy: 'block_immediately', auth_check_run_shelf_life_seconds: 3_600 } as const
  const check = await make.check(all.organizationId, { configuration })
  await make.result({ device: all.device, check, rows: 'PASS', at: plusMs(stage.now(), -7_200_000) })
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'evaluating')
  const asked = await stage.db.selectFrom('check_refreshes').select('check_id').execute()
  assert.deepEqual(asked, [{ check_id: check.id }])
  later(7_999)
  assert.equal(await stateOn(visit), 'evaluating')
  later(1)
  const { text } = await visit.go(visit.path)
  assert.match(text, /data-state="passed".*1 check didn’t finish\. Results from <time datetime="2026-11-20T/s)
  await stage.db.deleteFrom('check_refreshes').execute()
  assert.equal(/didn’t finish/.test((await visit.go(visit.path)).text), false)
})

test('a result of more than seven days ago does not count, and the person waits until the check has run', async () => {
  const all = await setUp()
  const check = await make.check(all.organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  await make.result({ device: all.device, check, rows: 'PASS', at: plusMs(stage.now(), -8 * 86_400_000) })
  const visit = await arrive(all)
  await proveIn(visit, all)
  later(8_000)
  const { text } = await visit.go(`${visit.path}/region`)
  assert.match(text, new RegExp(`data-state="unfinished".*<li>${check.name}</li>`, 's'))
  assert.equal(await finishPath(visit), '')
  const answer = await visit.follow(`/signin/oidc/auth/${await interactionOf(visit)}`)
  assert.equal(answer.away, undefined, 'the way on is closed as well')
  await visit.post('recheck')
  assert.match((await visit.go(`${visit.path}/region`)).text, /data-rechecking="1".*Checking again\..*Checking…/s)
  const asked = await stage.db.selectFrom('check_refreshes').select('requested_at').execute()
  assert.deepEqual(asked, [{ requested_at: stage.now() }], 'it is handed out once more')
  await stage.db.deleteFrom('check_refreshes').execute()
  assert.equal(await stateOn(visit), 'passed')
})

/** Signs in as Ana, and redeems the code where the application takes it. */
async function answered(all: SetUp, { tab, isTaken }: { tab?: string; isTaken: boolean }) {
  const visit = await arrive(all)
  await proveIn(visit, all, tab)
  const { away = '' } = await visit.follow(await finishPath(visit))
  assert.match(away, /code=/)
  if (isTaken) assert.equal((await tokensOf(all, away)).status, 200)
  later(1_000)
}

test('after four answers that the application does not take the fifth is held back, until the person tries once more', async () => {
  const all = await setUp()
  for (let round = 0; round < 4; round += 1) await answered(all, { isTaken: false })
  later(10_000)
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'keeps_asking')
  await visit.post('once-more')
  assert.equal(await stateOn(visit), 'passed')
  later(120_001)
  const after = await arrive(all)
  assert.equal((await proveIn(after, all)).state, 'passed')
})

test('an application that takes each answer and asks again in the same tab is held back', async () => {
  const all = await setUp()
  for (let round = 0; round < 4; round += 1) await answered(all, { tab: 'one', isTaken: true })
  // Their codes have ended, and say until the loop is forgotten that they were redeemed.
  later(110_000)
  await dropExpiredRecords(stage.db, stage.now())
  assert.equal((await proveIn(await arrive(all), all, 'another')).state, 'passed')
  assert.equal((await proveIn(await arrive(all), all)).state, 'passed')
  assert.equal((await proveIn(await arrive(all), all, 'one')).state, 'keeps_asking')
})

test('five tabs at once, and private windows one after the other, are no loop', async () => {
  const all = await setUp()
  const visits = await Promise.all([1, 2, 3, 4, 5, 6].map(() => arrive(all)))
  for (const [index, visit] of visits.entries()) {
    assert.equal((await proveIn(visit, all, `tab-${index}`)).state, 'passed')
    const { away = '' } = await visit.follow(await finishPath(visit))
    assert.match(away, /code=/)
  }
  later(121_000)
  // Opened by one page, tabs may have the same name: none of them began after another had ended.
  const again = await Promise.all([1, 2, 3, 4, 5, 6].map(() => arrive(all)))
  for (const visit of again) {
    assert.equal((await proveIn(visit, all, 'copied')).state, 'passed')
    await visit.follow(await finishPath(visit))
  }
  later(121_000)
  for (let round = 0; round < 6; round += 1) {
    later(11_000)
    await answered(all, { tab: `window-${round}`, isTaken: true })
  }
})

test('a name of a tab that no page of ours gives is no name', async () => {
  const all = await setUp()
  for (const tab of ['x'.repeat(65), '<b>', '', 7, ['one'], null]) {
    const visit = await arrive(all)
    assert.equal((await proveIn(visit, all, tab as string)).state, 'passed')
  }
  const rows = await stage.db.selectFrom('signin_sessions').select('tab').execute()
  assert.deepEqual(new Set(rows.map(({ tab }) => tab)), new Set([null]))
})

test('a request that has begun a sign-in begins no other', async () => {
  const all = await setUp()
  const request = await all.rp.signedRequest(all.connection.clientId, { login_hint: 'ana@example.com' })
  const [first, second] = [signInBrowser(stage.app), signInBrowser(stage.app)]
  assert.match((await first.follow(all.rp.addressOf(request))).path, /^\/signin\/[0-9a-f]{24}$/)
  const { away = '' } = await second.follow(all.rp.addressOf(request))
  assert.equal(new URL(away).searchParams.get('error'), 'invalid_request_object')
  assert.equal((await stage.db.selectFrom('signin_sessions').select('id').execute()).length, 1)
})

test('an address is looked up each time, whatever identifier of its own the caller adds', async () => {
  const all = await setUp()
  const signIn = async (hint: string) => {
    const visit = await arrive(all, hint, true, { sub: '00u1' })
    const id = visit.path.slice(8)
    const sessions = stage.db.selectFrom('signin_sessions').select(['person_id', 'state']).where('id', '=', id)
    later(1_000)
    return sessions.executeTakeFirstOrThrow()
  }
  assert.deepEqual(await signIn('ANA@Example.com'), { person_id: all.person.id, state: 'looking' })
  await stage.db.updateTable('people').set({ email: 'ana.old@example.com' }).where('id', '=', all.person.id).execute()
  const heir = await make.person(all.organizationId, { email: 'ana@example.com' })
  assert.equal((await signIn('ana@example.com')).person_id, heir.id)
  assert.equal((await signIn('ana.old@example.com')).person_id, all.person.id)
  assert.deepEqual(await stage.db.selectFrom('person_identities').selectAll().execute(), [])
})

test('an address names a person by case and composition alone, and by no letter that only looks alike', async () => {
  const all = await setUp()
  const { organizationId } = all
  const named = async (email: string) => {
    const { id } = await make.person(organizationId, { email })
    return id
  }
  const [turkish, accented] = [await named('IŞIL@example.com'), await named('jos\u00e9@example.com')]
  const whoIs = async (hint: string) => {
    const visit = await arrive(all, hint)
    const sessions = stage.db.selectFrom('signin_sessions').select('person_id').where('id', '=', visit.path.slice(8))
    return (await sessions.executeTakeFirstOrThrow()).person_id
  }
  assert.equal(await whoIs('iŞil@example.com'), turkish)
  assert.equal(await whoIs('ışıl@example.com'), null, 'a dotless i is another letter')
  assert.equal(await whoIs('JOSE\u0301@example.com'), accented)
  for (const hint of ['аna@example.com', 'ａna@example.com', 'ana@example.com.', 'ana', 'an\u00e3@example.com']) {
    assert.equal(await whoIs(hint), null, hint)
  }
})

test('an address that two people have names nobody', async () => {
  const all = await setUp()
  const twin = { email: 'ANA@example.com', is_duplicate: true }
  await make.person(all.organizationId, twin)
  const visit = await arrive(all)
  assert.equal(await stateOn(visit), 'unknown_person')
})

const logsOf = () =>
  stage.db
    .selectFrom('auth_logs')
    .select(['result', 'failure_reason', 'person_id', 'person_name', 'person_email', 'device_id'])
    .orderBy('id')
    .execute()
const unknown = { result: 'Fail', failure_reason: 'person_unknown', person_id: null, person_name: '', device_id: null }

test('someone who is vouched for and not on the list has a log that failed at once, which is told once', async () => {
  const all = await setUp()
  const visit = await arrive(all, 'Nobody@example.com')
  for (let look = 0; look < 2; look += 1) assert.equal(await stateOn(visit), 'unknown_person')
  assert.deepEqual(await failuresOf(), ['auth_logs.failure'])
  await visit.post('undetected', { reason: 'agent_not_found' })
  assert.equal((await proveIn(visit, all)).state, 'unknown_person')
  await visit.post('cancel')
  later(31 * 60_000)
  assert.equal(await expireAuthLogs(stage.db, change), 0)
  assert.deepEqual(await logsOf(), [{ ...unknown, person_email: 'Nobody@example.com' }])
  assert.deepEqual(await failuresOf(), ['auth_logs.failure'])
  assert.deepEqual(await typesOf(), ['sign_in_attempt'])
  const { body } = await stage.ask('GET', '/auth_logs')
  assert.deepEqual(
    [body.data[0].person_email, body.data[0].person_info],
    ['Nobody@example.com', { identifier: '', link: null }],
  )
})

test('of a person who has left the log says what was vouched, and not whom it was', async () => {
  const all = await setUp()
  await proveIn(await arrive(all), all)
  await transact(stage.db, (tx) => deprovisionPerson(tx, { personId: all.person.id }, change()))
  assert.equal(await stateOn(await arrive(all)), 'unknown_person')
  const left = { ...unknown, failure_reason: 'person_deprovisioned', person_email: 'ana@example.com' }
  assert.deepEqual((await logsOf()).slice(1), [left])
  assert.deepEqual(await failuresOf(), ['auth_logs.failure'])
})

test('who comes on the list while their page waits gets in, with a log of their own', async () => {
  const all = await setUp()
  const visit = await arrive(all, 'ben@example.com')
  const device = await make.device(all.organizationId)
  assert.equal((await proveIn(visit, { companion: await addKey(device.id) })).state, 'unknown_person')
  const ben = await make.person(all.organizationId, { name: 'Ben', email: 'ben@example.com' })
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: device.id, personId: ben.id }, change()))
  assert.equal(await stateOn(visit), 'passed')
  assert.match((await visit.follow(await finishPath(visit))).away ?? '', /code=/)
  const own = { person_id: ben.id, person_name: 'Ben', person_email: 'ben@example.com', device_id: device.id }
  assert.deepEqual(await logsOf(), [
    { ...unknown, person_email: 'ben@example.com' },
    { result: 'Success', failure_reason: null, ...own },
  ])
  assert.deepEqual(await failuresOf(), ['auth_logs.failure', 'auth_logs.success'])
})

test('an application knows a person by one opaque identifier, whichever application it is', async () => {
  const all = await setUp()
  const subjectIn = async (set: typeof all) => {
    const visit = await arrive(set)
    await proveIn(visit, set)
    const { away = '' } = await visit.follow(await finishPath(visit))
    const { body } = await tokensOf(set, away)
    return JSON.parse(Buffer.from(body['id_token']?.split('.')[1] ?? '', 'base64url').toString()).sub as string
  }
  const first = await subjectIn(all)
  assert.match(first, /^[\w-]{24}$/)
  assert.equal(await subjectIn(all), first)
})

test('cancelling fails the log at once, and is announced once', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await proveIn(visit, all)
  await visit.post('cancel')
  await visit.post('cancel')
  assert.deepEqual(await failuresOf(), ['auth_logs.failure'])
  assert.deepEqual(await stage.db.selectFrom('auth_log_open_sessions').selectAll().execute(), [])
})

test('what does not block yet is shown once a day, and at each sign-in of the last day', async () => {
  const all = await setUp({ authState: 'will_block' })
  const set = (days: number) =>
    stage.db
      .updateTable('devices')
      .set({ will_block_at: plusMs(stage.now(), days * 86_400_000) })
      .execute()
  const through = async () => {
    const visit = await arrive(all)
    const { state } = await proveIn(visit, all)
    // The person continues by the button.
    await visit.follow(`/signin/oidc/auth/${await interactionOf(visit)}`)
    later(600_000)
    return state
  }
  await set(3)
  assert.deepEqual([await through(), await through()], ['warning', 'passed'])
  await set(0.5)
  assert.deepEqual([await through(), await through()], ['warning', 'warning'])
})

test('a person whose device would be blocked, with many others, gets in and is told so', async () => {
  const all = await setUp()
  const { device } = all
  const check = await checkOf('block_immediately', { issue_title: 'The firewall is off' })
  const now = stage.now()
  const id = await hold(check.id)
  await make.result({ device, check, rows: 'FAIL', at: now })
  const visit = await arrive(all)
  assert.deepEqual(await proveIn(visit, all), { status: 200, state: 'warning' })
  const { text } = await visit.go(visit.path)
  assert.match(text, /The firewall is off/)
  assert.match(text, /It doesn’t block you for now. IT decides whether that changes./)
  const held = await stage.db.selectFrom('issues').select('hold_id').executeTakeFirstOrThrow()
  assert.equal(held.hold_id, id)
  const { away } = await visit.follow(`/signin/oidc/auth/${await interactionOf(visit)}`)
  assert.match(away ?? '', /code=/)
})

/** What the page offers, by check. */
const offersOn = async (visit: Visit, offer: 'thing' | 'ask' | 'snooze' | 'withdraw') =>
  [...(await visit.go(visit.path)).text.matchAll(new RegExp(` id="${offer}-(\\d+)"`, 'g'))].map(([, id]) => id)

test('what blocks nobody is shown and seen, and neither snoozed nor exempted', async () => {
  const all = await setUp()
  const { device } = all
  const [blocking, advice, held] = [
    await checkOf('block_immediately'),
    await checkOf('notify_only'),
    await checkOf('block_immediately'),
  ]
  const [silent, paused] = [await checkOf('report_only'), await checkOf('notify_only')]
  await hold(held.id)
  const ids: string[] = []
  for (const check of [held, advice, blocking, silent, paused]) {
    ids.push((await make.issue({ device, check, at: stage.now() })).id)
  }
  const [ofHeld, ofAdvice, ofBlocking] = ids
  await stage.db
    .updateTable('check_configurations')
    .set({ paused_at: stage.now() })
    .where('check_id', '=', paused.id)
    .execute()
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'blocked')
  assert.deepEqual(await offersOn(visit, 'thing'), [blocking.id, held.id, advice.id])
  assert.deepEqual(await offersOn(visit, 'ask'), [blocking.id])
  assert.deepEqual(await offersOn(visit, 'snooze'), [blocking.id])
  for (const issue_id of ids.filter((id) => id !== ofBlocking)) {
    for (const act of ['exemption', 'snooze']) {
      const { status, text } = await visit.post(act, { issue_id, message: 'I am on a train.' })
      assert.deepEqual([status, JSON.parse(text).error], [404, 'not_found'], `${act} of ${issue_id}`)
    }
  }
  assert.equal((await visit.post('seen', { issue_ids: ids })).status, 200)
  assert.equal((await events()).at(-1), `issue_viewed: Issues ${ofBlocking}, ${ofHeld}, ${ofAdvice}.`)
  assert.equal((await visit.post('exemption', { issue_id: ofBlocking, message: 'I am on a train.' })).status, 200)
  assert.equal((await events()).at(-1), `exemption_requested: Issue ${ofBlocking}.`)
  assert.deepEqual(await offersOn(visit, 'withdraw'), [blocking.id])
})

test('an exemption that was asked for is withdrawn also once the check blocks no more', async () => {
  const all = await setUp()
  const check = await checkOf('block_immediately')
  const { id } = await make.issue({ device: all.device, check, at: stage.now() })
  const visit = await arrive(all)
  await proveIn(visit, all)
  await visit.post('exemption', { issue_id: id, message: 'I am on a train.' })
  // Its issues are yet to be decided again.
  await stage.db.updateTable('check_configurations').set({ remediation_strategy: 'notify_only' }).execute()
  assert.deepEqual(await offersOn(visit, 'withdraw'), [check.id])
  const { id: request_id } = await stage.db.selectFrom('exemption_requests').select('id').executeTakeFirstOrThrow()
  assert.equal((await visit.post('withdraw', { request_id })).status, 200)
  assert.deepEqual([await offersOn(visit, 'thing'), await offersOn(visit, 'ask')], [[check.id], []])
  assert.equal((await visit.post('exemption', { issue_id: id, message: 'Please.' })).status, 404)
})

test('a check with more than 100 issues leaves those of others to be asked about and logged', async () => {
  const all = await setUp()
  const { device } = all
  const many = await checkOf('block_immediately', { primary_key_column: 'path' })
  const [first, last] = [await checkOf('block_immediately'), await checkOf('block_immediately')]
  const rows = Array.from({ length: 120 }, (_, index) => ({ KOLIDE_CHECK_STATUS: 'FAIL', path: `/opt/${index}` }))
  const at = stage.now()
  later(2_000)
  await make.result({ device, check: many, rows, at: plusMs(at, 1_000) })
  const ofLast = await make.issue({ device, check: last, at: plusMs(at, 2_000) })
  const ofFirst = await make.issue({ device, check: first, at })
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'blocked')
  const logged = await stage.db.selectFrom('auth_log_issues').select('issue_id').execute()
  assert.deepEqual([logged.length, logged.some(({ issue_id }) => issue_id === ofFirst.id)], [100, true])
  assert.deepEqual(await offersOn(visit, 'ask'), [first.id, many.id, last.id])
  const ofMany = new RegExp(` id="thing-${many.id}" data-issues="(\\d+) `).exec((await visit.go(visit.path)).text)?.[1]
  for (const issue_id of [ofMany, ofLast.id]) {
    assert.equal((await visit.post('exemption', { issue_id, message: 'I am on a train.' })).status, 200)
  }
  const asked = await stage.db.selectFrom('exemption_request_issues').select('issue_id').execute()
  assert.deepEqual([asked.length, asked.some(({ issue_id }) => issue_id === ofLast.id)], [101, true])
  assert.deepEqual(await offersOn(visit, 'withdraw'), [many.id, last.id])
})

const interactionOf = async ({ path }: Visit) =>
  (
    await stage.db
      .selectFrom('signin_sessions')
      .select('interaction_uid')
      .where('id', '=', path.split('/')[2] ?? '')
      .executeTakeFirstOrThrow()
  ).interaction_uid

test('a page that finds no device is written down at a change of the reason, then every 30 seconds, 20 times at most', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  // The log begins with the page: the request is signed.
  await visit.go(visit.path)
  const undetected = (reason: string) => visit.post('undetected', { reason })
  await undetected('agent_not_found')
  await undetected('agent_not_found')
  await undetected('permission_denied')
  await undetected('made_up')
  assert.deepEqual(await typesOf(), ['sign_in_attempt', 'agent_detection_failure', 'agent_detection_failure'])
  for (let count = 0; count < 25; count += 1) {
    later(30_000)
    await undetected('permission_denied')
  }
  assert.equal((await typesOf()).filter((type) => type === 'agent_detection_failure').length, 20)
})

test('a recheck is told in words once it is over', async () => {
  const all = await setUp()
  const check = await checkOf('block_immediately')
  const advice = await checkOf('notify_only')
  await make.issue({ device: all.device, check })
  await make.issue({ device: all.device, check: advice })
  await stage.db.updateTable('devices').set({ auth_state: 'blocked' }).execute()
  const visit = await arrive(all)
  await proveIn(visit, all)
  later(8_000)
  assert.equal(await stateOn(visit), 'blocked')
  await visit.post('recheck')
  await visit.post('recheck')
  later(1_800)
  assert.equal((await typesOf()).includes('device_rechecked'), false)
  await make.result({ device: all.device, check: advice, rows: 'PASS', at: stage.now() })
  await stage.db.deleteFrom('check_refreshes').execute()
  await stateOn(visit)
  await stateOn(visit)
  assert.deepEqual((await events()).slice(-2), [
    'device_rechecked: 2 checks, 1 fixed, 1.8 s.',
    'device_blocked: Issues still block the device.',
  ])
})

test('a person whose request is denied reads that, and one who is approved continues', async () => {
  const all = await setUp({ isRegistered: false })
  await stage.db.updateTable('people').set({ has_used_first_trust: true }).execute()
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'ask_it')
  assert.equal((await visit.post('register', { message: 'My new laptop' })).status, 200)
  assert.equal(await stateOn(visit), 'awaiting_approval')
  const requestId = async () =>
    (await stage.db.selectFrom('registration_requests').select('id').orderBy('id', 'desc').execute())[0]?.id ?? ''
  const decide = async (status: 'approved' | 'denied') => {
    const words = status === 'denied' ? { end_user_denial_message: 'Use your own' } : {}
    const deciding = { requestId: await requestId(), decision: { status, ...words } }
    await transact(stage.db, (tx) => decideRegistrationRequest(tx, deciding, change()))
  }
  later(1_000)
  await decide('denied')
  assert.equal(await stateOn(visit), 'denied')
  await visit.post('register', { message: 'It is mine' })
  later(1_000)
  await decide('approved')
  assert.equal(await stateOn(visit), 'passed')
  assert.deepEqual(
    (await typesOf()).filter((type) => type?.startsWith('device_registration')),
    [
      ...['device_registration_request', 'device_registration_blocked'],
      ...['device_registration_request', 'device_registration_successful'],
    ],
  )
})
