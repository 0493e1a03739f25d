import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { dayMs, plusMs } from '../../base/time.ts'

const { stage, make, setUp, arrive, proveIn, finishPath } = signInStage()

const later = (ms: number) => stage.setNow(plusMs(stage.now(), ms))
const warnings = () => stage.db.selectFrom('signin_warnings').select('shown_at').execute()
const typesInLog = async () =>
  (await stage.db.selectFrom('auth_log_events').select('type').orderBy('position').execute()).map(({ type }) => type)

test('a warning that comes up between the page and the answer is shown before the application is answered', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'passed')
  const finish = await finishPath(visit)
  const change = { auth_state: 'will_block', will_block_at: plusMs(stage.now(), 3 * dayMs) } as const
  await stage.db.updateTable('devices').set(change).where('id', '=', all.device.id).execute()
  const { path, away, reply } = await visit.follow(finish)
  assert.deepEqual([path, away], [visit.path, undefined])
  assert.match(reply.text, /data-state="warning"/)
  assert.deepEqual(await warnings(), [])
  assert.equal((await typesInLog()).includes('sign_in_success'), false)
  const continued = await visit.follow(finish)
  assert.match(continued.away ?? '', /[?&]code=/)
  assert.equal((await warnings()).length, 1)
  assert.equal((await typesInLog()).at(-1), 'sign_in_success')
})

test('a device that is blocked between the page and the answer leads back to the page', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'passed')
  const finish = await finishPath(visit)
  await stage.db.updateTable('devices').set({ auth_state: 'blocked' }).where('id', '=', all.device.id).execute()
  const { path, away, reply } = await visit.follow(finish)
  assert.deepEqual([path, away], [visit.path, undefined])
  assert.match(reply.text, /data-state="blocked"/)
  assert.deepEqual((await typesInLog()).slice(-1), ['device_blocked'])
})

test('a check again that is over when the application is answered is in the log before the success', async () => {
  const all = await setUp()
  const check = await make.check(all.organizationId, { configuration: { remediation_strategy: 'warn_then_block' } })
  await make.issue({ device: all.device, check, at: stage.now() })
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'warning')
  const { interaction_uid: uid } = await stage.db
    .selectFrom('signin_sessions')
    .select('interaction_uid')
    .executeTakeFirstOrThrow()
  await visit.post('recheck')
  later(61_000)
  assert.match((await visit.follow(`/signin/oidc/auth/${uid}`)).away ?? '', /[?&]code=/)
  assert.deepEqual((await typesInLog()).slice(-2), ['device_rechecked', 'sign_in_success'])
})
