import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { transact } from '../../base/db/transact.ts'
import { hourMs, minuteMs, plusMs } from '../../base/time.ts'
import { changeSettings } from '../../inventory/organizations/change-settings.ts'
import { expireAuthLogs } from '../auth-logs/expire-auth-logs.ts'
import { createBypassCode, withdrawBypassCode } from '../bypass/bypass-codes.ts'
import { pauseConnection, resumeConnection } from '../connections/pause-connection.ts'
import { readMarks } from './session-marks.ts'

const { stage, make, change, setUp, arrive, proveIn, finishPath, tokensOf } = signInStage()

type SetUp = Awaited<ReturnType<typeof setUp>>
type Visit = Awaited<ReturnType<typeof arrive>>

const giveCode = (all: SetUp, hours = 4) =>
  transact(stage.db, (tx) => {
    const wanted = { personId: all.person.id, connectionId: all.connection.id, hours, reason: 'Loaner laptop' }
    return createBypassCode(tx, stage.secrets, wanted, change())
  })

const enter = (visit: Visit, code: string) => visit.post('code', { code })
const linkOf = async (visit: Visit) => /href="([^"]+\/auth\/[^"]+)"/.exec((await visit.go(visit.path)).text)?.[1] ?? ''
const lastSuccess = async () =>
  stage.db
    .selectFrom('auth_log_events')
    .select('description')
    .where('type', '=', 'sign_in_success')
    .orderBy('auth_log_id', 'desc')
    .executeTakeFirstOrThrow()
const reasonsOf = async () =>
  (await stage.db.selectFrom('auth_logs').select('failure_reason').orderBy('id').execute()).map(
    ({ failure_reason: reason }) => reason,
  )

test('a code from IT opens one application once, asserts nothing of the device, and is in the log with its reason', async () => {
  const all = await setUp({ authState: 'blocked' })
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'blocked')
  assert.doesNotMatch((await visit.go(visit.path)).text, /IT made a code for you/)
  const { code, expiresAt } = await giveCode(all)
  assert.match(code, /^[A-HJ-NP-Z2-9]{5}-[A-HJ-NP-Z2-9]{5}$/)
  assert.match((await visit.go(visit.path)).text, /IT made a code for you/)
  assert.match((await visit.go(`${visit.path}/code`)).text, /Enter your code from IT/)
  const accepted = await enter(visit, ` ${code.toLowerCase().replace('-', ' ')} `)
  assert.deepEqual([accepted.status, accepted.headers['location']], [303, visit.path])
  const page = await visit.go(visit.path)
  assert.match(page.text, /Your code was accepted/)
  assert.match(page.text, /Loaner laptop/)
  assert.ok(page.text.includes(expiresAt))
  const { away = '' } = await visit.follow((await linkOf(visit)).replaceAll('&#47;', '/'))
  const { body } = await tokensOf(all, away)
  const { acr, device_context: context } = decodeJwt(body['id_token'] ?? '')
  assert.equal(acr, 'urn:muster:device:known')
  assert.deepEqual(context, { managed: true, compliant: false, externalId: all.device.id })
  assert.match((await lastSuccess()).description, /A code from IT waived the check of the device: "Loaner laptop"\.$/)
  const again = await arrive(all)
  assert.equal((await enter(again, code)).status, 422, 'it is used up')
})

test('without a device a code lets the person in, and the application learns that nothing was proved', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const { code } = await giveCode(all)
  assert.equal((await enter(visit, code)).status, 303)
  const { away = '' } = await visit.follow((await linkOf(visit)).replaceAll('&#47;', '/'))
  const { acr, amr, device_context: context } = decodeJwt((await tokensOf(all, away)).body['id_token'] ?? '')
  assert.deepEqual([acr, amr ?? []], ['urn:muster:none', []])
  assert.deepEqual(context, { managed: false, compliant: false })
})

test('five wrong codes within an hour are looked at, over all sign-ins of a person; then none, also not the right one', async () => {
  const all = await setUp()
  const { code } = await giveCode(all)
  const [first, second] = [await arrive(all), await arrive(all)]
  for (const left of [4, 3, 2]) {
    const { status, text } = await enter(first, 'AAAAA-AAAAA')
    assert.equal(status, 422)
    assert.match(text, new RegExp(`That code doesn’t match. ${left} tries left.`))
  }
  assert.match((await enter(second, 'x')).text, /1 try left/)
  assert.match((await enter(second, 'AAAAA-AAAAB')).text, /tried too many codes/)
  assert.equal((await enter(first, code)).status, 422)
  stage.setNow(plusMs(stage.now(), hourMs + 1_000))
  const later = await arrive(all)
  assert.equal((await enter(later, code)).status, 303)
})

test('tries at the same time are counted each', async () => {
  const all = await setUp()
  await giveCode(all)
  const visit = await arrive(all)
  await Promise.all(Array.from({ length: 12 }, () => enter(visit, 'AAAAA-AAAAA')))
  const { tries } = await stage.db.selectFrom('bypass_attempts').select('tries').executeTakeFirstOrThrow()
  assert.equal(tries, 6)
  assert.match((await visit.go(`${visit.path}/code`)).text, /tried too many codes/)
})

test('a code that ended, was withdrawn, or is for another person, connection or organization opens nothing', async () => {
  const all = await setUp()
  const ended = await giveCode(all, 1)
  stage.setNow(plusMs(stage.now(), hourMs))
  const withdrawn = await giveCode(all)
  await transact(stage.db, (tx) => withdrawBypassCode(tx, { id: withdrawn.id }, change()))
  const ben = await make.person(all.organizationId, { email: 'ben@example.com' })
  const ofBen = await giveCode({ ...all, person: ben })
  const visit = await arrive(all)
  for (const { code } of [ended, withdrawn, ofBen]) assert.equal((await enter(visit, code)).status, 422)
  const used = await stage.db.selectFrom('bypass_codes').select('used_at').where('used_at', 'is not', null).execute()
  assert.deepEqual(used, [])
})

test('a paused connection lets a blocked device in, says so in the log, and enforces again by itself', async () => {
  const all = await setUp({ authState: 'blocked' })
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'blocked')
  const pause = { id: all.connection.id, minutes: 30, reason: 'Agent update' }
  await transact(stage.db, (tx) => pauseConnection(tx, pause, change()))
  const { away = '' } = await visit.follow(await finishPath(visit))
  const { acr } = decodeJwt((await tokensOf(all, away)).body['id_token'] ?? '')
  assert.equal(acr, 'urn:muster:none')
  assert.match((await lastSuccess()).description, /The connection is paused\.$/)
  stage.setNow(plusMs(stage.now(), 30 * minuteMs))
  const later = await arrive(all)
  assert.equal((await proveIn(later, all)).state, 'blocked')
})

test('a pause is ended before its time, and only a connection that enforces is paused', async () => {
  const all = await setUp({ authState: 'blocked' })
  const { id } = all.connection
  await transact(stage.db, (tx) => pauseConnection(tx, { id, minutes: 30, reason: 'x' }, change()))
  await transact(stage.db, (tx) => resumeConnection(tx, { id }, change()))
  assert.equal((await proveIn(await arrive(all), all)).state, 'blocked')
  await stage.db.updateTable('signin_connections').set({ mode: 'observe' }).execute()
  const refused = transact(stage.db, (tx) => pauseConnection(tx, { id, minutes: 30, reason: 'x' }, change()))
  await assert.rejects(refused, { code: 'invalid' })
})

test('a failed sign-in keeps why it failed: what stood in the way, and else how it ended', async () => {
  const all = await setUp({ authState: 'blocked' })
  await proveIn(await arrive(all), all)
  const denied = await arrive(all)
  await denied.post('undetected', { reason: 'permission_denied' })
  await arrive(all)
  await (await arrive(all)).post('cancel')
  stage.setNow(plusMs(stage.now(), 31 * minuteMs))
  await expireAuthLogs(stage.db, change)
  assert.deepEqual(await reasonsOf(), ['blocked_by_issues', 'agent_permission_denied', 'abandoned', 'cancelled'])
})

test('a success has no reason, and none is left of what was fixed', async () => {
  const all = await setUp({ authState: 'blocked' })
  const visit = await arrive(all)
  await proveIn(visit, all)
  await stage.db.updateTable('devices').set({ auth_state: 'good' }).execute()
  await visit.follow(await finishPath(visit))
  assert.deepEqual(await reasonsOf(), [null])
})

test('a first device is registered on the page once the checks that registering requires pass', async () => {
  const all = await setUp({ isRegistered: false })
  const { organizationId } = all
  const check = await make.check(organizationId, { name: 'The disk is encrypted' })
  await stage.db.updateTable('check_results').set({ status: 'failing' }).where('check_id', '=', check.id).execute()
  const wanted = { registration_required_checks: [check.id] }
  await transact(stage.db, (tx) => changeSettings(tx, { wanted }, change()))
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'not_ready')
  const page = await visit.go(visit.path)
  assert.match(page.text, /Fix 1 thing to register this computer/)
  assert.match(page.text, /The disk is encrypted/)
  await stage.db.updateTable('check_results').set({ status: 'passing' }).where('check_id', '=', check.id).execute()
  assert.match((await visit.go(visit.path)).text, /Register this computer to/)
  await visit.post('register')
  assert.match((await visit.go(visit.path)).text, /data-finish=/)
})

test('a person who leaves while their page is open is told at the next look of the page, and never gets in', async () => {
  const all = await setUp({ authState: 'blocked' })
  const visit = await arrive(all)
  await proveIn(visit, all)
  const watched = [{ organizationId: all.organizationId, id: visit.path.split('/').at(-1) ?? '' }]
  const markOf = async () => [...(await readMarks(stage.db, watched, stage.now())).values()][0]
  const before = await markOf()
  assert.equal(await markOf(), before)
  await stage.db.updateTable('people').set({ deprovisioned_at: stage.now() }).where('id', '=', all.person.id).execute()
  assert.notEqual(await markOf(), before)
  assert.match((await visit.go(`${visit.path}/region`)).text, /This account isn’t on/)
  await stage.db.updateTable('devices').set({ auth_state: 'good' }).execute()
  assert.doesNotMatch((await visit.go(visit.path)).text, /data-finish=/)
  stage.setNow(plusMs(stage.now(), 31 * minuteMs))
  await expireAuthLogs(stage.db, change)
  assert.deepEqual(await reasonsOf(), ['person_deprovisioned'])
})

test('a code of the application is worth nothing once the person has left', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const { away = '' } = await visit.follow(await finishPath(visit))
  await stage.db.updateTable('people').set({ deprovisioned_at: stage.now() }).where('id', '=', all.person.id).execute()
  const { status, body } = await tokensOf(all, away)
  assert.deepEqual([status, body['error']], [400, 'invalid_grant'])
})
