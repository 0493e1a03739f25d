import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { AuthLog } from '@muster/contract/auth-logs.ts'
import { testApp } from '../../../test/support/app.ts'
import { contextAt, makeIn } from '../../../test/support/make.ts'
import { plusMs } from '../../base/time.ts'
import { expireSessions } from '../../sign-in/auth-logs/expire-sessions.ts'
import type { CommandIo } from '../data-command.ts'
import { simulateSignInsCommand } from './simulate-sign-ins-command.ts'

const trial = testApp()
const make = makeIn(trial)
const now = '2026-11-22T12:00:00.000Z'

beforeEach(() => trial.reset())

async function simulate(count: number, seed = 1) {
  let out = ''
  let err = ''
  const write = async (text: string) => {
    out += text
  }
  const { connection } = trial.database
  const io: CommandIo = {
    write,
    line: (text) => write(`${text}\n`),
    error: async (text) => {
      err += `${text}\n`
    },
    input: (async function* () {})(),
    signal: new AbortController().signal,
  }
  const context = { connection, secrets: trial.secrets, config: trial.config, now }
  const exit = await simulateSignInsCommand.run(context, { count, seed }, io)
  return { exit, out, err }
}

const sessions = async (): Promise<AuthLog[]> => (await trial.ask('GET', '/auth_logs?per_page=100')).body.data

/** People whose devices are fine, about to block and blocked, and one without a device. */
async function addPeople() {
  const { organizationId } = trial.tenant
  const strategies = ['report_only', 'warn_then_block', 'block_immediately'] as const
  for (const remediation_strategy of strategies) {
    const person = await make.person(organizationId, { name: `Owner of ${remediation_strategy}` })
    const group = await make.deviceGroup(organizationId)
    const configuration = { remediation_strategy, targeted_groups: [group.id] }
    const check = await make.check(organizationId, { configuration })
    const device = await make.device(organizationId, { registered_owner_id: person.id, groupIds: [group.id] })
    await make.issue({ device, check })
  }
  await make.person(organizationId, { name: 'Nobody’s owner' })
}

test('sign-ins are simulated from end to end, and are plainly said to be', async () => {
  await addPeople()
  const { exit, out, err } = await simulate(60)
  const all = await sessions()
  const succeeded = all.filter(({ result }) => result === 'Success')
  assert.equal(exit, 0)
  assert.match(err, /^This is a simulation: nobody signs in\. It writes 60 sign-ins of the last day into Acme/)
  assert.equal(
    out,
    `Simulated 60 sign-ins: ${succeeded.length} succeeded, ${60 - succeeded.length} did not and count as failed 30 minutes after their last step\n`,
  )
  assert.equal(all.length, 60)
  assert.ok(all.every(({ browser_user_agent }) => browser_user_agent.endsWith(' (simulated)')))
  const { description } = (await trial.ask('GET', '/audit_logs?per_page=1')).body.data[0]
  assert.equal(description, 'Began to simulate 60 sign-ins.')
})

test('who gets in depends on the device, and what blocks it is shown', async () => {
  await addPeople()
  await simulate(90)
  const all = await sessions()
  const by = (status: string) => all.filter(({ initial_status }) => initial_status === status)
  for (const status of ['all_good', 'will_block', 'blocked', 'unknown']) assert.ok(by(status).length > 5, status)
  assert.ok([...by('blocked'), ...by('unknown')].every(({ result }) => result === 'Fail'))
  for (const { issues_displayed, events } of by('blocked')) {
    assert.deepEqual(
      issues_displayed.map(({ blocking_status }) => blocking_status),
      ['blocked'],
    )
    assert.deepEqual(
      events.map(({ event_type }) => event_type),
      ['sign_in_attempt', 'agent_detection_success', 'device_blocked', 'issue_viewed', 'device_rechecked'],
    )
  }
  const finished = by('will_block').filter(({ result }) => result === 'Success')
  assert.ok(finished.length > 0)
  assert.ok(finished.every(({ issues_displayed }) => issues_displayed[0]?.blocking_status === 'will_block'))
  const moments = all.map(({ timestamp }) => timestamp)
  assert.deepEqual(moments, moments.toSorted().reverse(), 'the newest first, by identifier and by time')
  assert.ok(moments.every((moment) => moment >= plusMs(now, -86_400_000) && moment < now))
})

test('every simulated session ends in one announcement', async () => {
  await addPeople()
  await simulate(40)
  await expireSessions(trial.db, () => contextAt(plusMs(now, 30 * 60_000)))
  const events = await trial.db
    .selectFrom('events')
    .select(['type', 'data'])
    .where('type', 'like', 'auth_logs.%')
    .execute()
  assert.equal(new Set(events.map(({ data }) => data['authLogId'])).size, 40)
  assert.equal(events.length, 40)
  const open = await trial.db.selectFrom('auth_log_open_sessions').selectAll().execute()
  assert.deepEqual(open, [])
})

test('the same seed gives the same sign-ins, another gives others', async () => {
  await make.person(trial.tenant.organizationId)
  const summary = async (seed: number) => {
    await trial.db.deleteFrom('auth_logs').execute()
    await simulate(10, seed)
    return (await sessions()).map(({ timestamp, ip_address, browser_name }) => [timestamp, ip_address, browser_name])
  }
  const first = await summary(1)
  assert.deepEqual(await summary(1), first)
  assert.notDeepEqual(await summary(2), first)
})

test('without people there is nobody to simulate', async () => {
  await assert.rejects(simulate(1), { message: 'There is nobody who could sign in: muster people add --help' })
  assert.deepEqual(await sessions(), [])
})
