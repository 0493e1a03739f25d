import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { lockConfiguration, updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { checkCommands } from './check-commands.ts'

const trial = testApp()
const make = makeIn(trial)
const run = commandsOn(trial, trial.now())
const never = new AbortController().signal

beforeEach(() => trial.reset())

const { configure } = checkCommands

/** A check that so many people's devices fail, of the only organization. */
async function failing(people: number, configuration: Parameters<typeof make.check>[1] = {}) {
  const { organizationId } = trial.tenant
  const check = await make.check(organizationId, { slug: 'disk', name: 'Disk', ...configuration })
  for (let number = 1; number <= people; number += 1) {
    const owner = await make.person(organizationId, { name: `Person ${number}` })
    const device = await make.device(organizationId, { name: `mac-${number}`, registered_owner_id: owner.id })
    await make.result({ device, check, rows: 'FAIL', at: trial.now() })
  }
  const recompute = () =>
    recomputeCheck(trial.db, { organizationId, checkId: check.id }, () => contextAt(trial.now()), never)
  return { check, recompute }
}

const strategyOf = async (id: string) =>
  (
    await trial.db
      .selectFrom('check_configurations')
      .select('remediation_strategy')
      .where('check_id', '=', id)
      .executeTakeFirstOrThrow()
  ).remediation_strategy

const blocked = async () =>
  (await trial.db.selectFrom('devices').select('name').where('auth_state', '=', 'blocked').orderBy('id').execute()).map(
    ({ name }) => name,
  )

const entries = async () =>
  (
    await trial.db
      .selectFrom('audit_logs')
      .select(['actor_name', 'description'])
      .where('action', '=', 'check.configured')
      .orderBy('id')
      .execute()
  ).map(({ actor_name: actor, description }) => [actor?.endsWith('(command line)'), description])

const strategy = (wanted: 'report-only' | 'block-immediately' | 'warn-then-block') => ({
  ...{ check: 'disk', strategy: wanted },
})

test('without a change, checks configure shows the configuration with the names of its groups', async () => {
  const { organizationId } = trial.tenant
  const group = await make.deviceGroup(organizationId, { name: 'Exec\u001butives' })
  const { check } = await failing(0, {
    configuration: {
      remediation_strategy: 'warn_then_block',
      ...{ targeted_groups: ['macos'], blocking_excluded_groups: [group.id] },
    },
  })
  const shown = await run(configure, { check: check.id })
  assert.deepEqual(shown.out.trimEnd().split('\n'), [
    `Check:           ${check.id} disk`,
    'Name:            Disk',
    'When it fails:   Warn, then block',
    'Grace period:    7 days',
    'Not before:      –',
    'Paused:          no',
    'Checked on:      macOS',
    'Not checked on:  no exclusions',
    'Blocks in:       everyone checked',
    `Never blocks in: Exec\u{FFFD}utives (${group.id})`,
    'Options:         {}',
  ])
  assert.equal((await run(configure, { check: 'disk' })).out, shown.out)
})

test('what blocks devices is not saved without their number, and says which', async () => {
  const { check } = await failing(2)
  await assert.rejects(run(configure, strategy('block-immediately')), {
    exitCode: 2,
    message: [
      'disk: strategy changed from "Report only" to "Block immediately"',
      'Newly blocked, or sooner: 2 devices',
      'Blocked at once:          2 devices of 2 people, 2 of them on their only device',
      '  Person 1 (mac-1)',
      '  Person 2 (mac-2)',
      'Nothing is connected: sign-in is not affected yet.',
      'Nothing was changed. To save it: muster checks configure disk --strategy block-immediately --blocking 2',
    ].join('\n'),
  })
  const organization = 'Acme'
  await trial.db.updateTable('organizations').set({ name: organization }).execute()
  await assert.rejects(run(configure, { ...strategy('warn-then-block'), blocking: 3, organization }), {
    exitCode: 2,
    message:
      /^Not 3\.\n[\s\S]*\nBlocked after the grace period: 2 devices of 2 people[\s\S]*--strategy warn-then-block --blocking 2 --organization Acme$/,
  })
  assert.deepEqual([await strategyOf(check.id), await entries()], ['report_only', []])
})

test('with the right number exactly these devices are blocked, and the way back needs none', async () => {
  const { check, recompute } = await failing(2)
  const { out } = await run(configure, { ...strategy('block-immediately'), blocking: 2 })
  assert.deepEqual(out.trimEnd().split('\n').slice(-3), [
    'Saved.',
    '2 devices will be blocked in the background.',
    'To undo: muster checks configure disk --strategy report-only',
  ])
  const entry =
    'Updated the configuration of the check "Disk": strategy changed from "Report only" to "Block immediately".'
  assert.deepEqual(await entries(), [[true, entry]])
  await recompute()
  assert.deepEqual(await blocked(), ['mac-1', 'mac-2'])
  const again = await run(configure, { ...strategy('block-immediately'), blocking: 2 })
  assert.equal(again.out, 'Nothing to change.\n')
  const back = await run(configure, strategy('report-only'))
  assert.deepEqual(back.out.trimEnd().split('\n'), [
    'disk: strategy changed from "Block immediately" to "Report only"',
    'No longer blocked: 2 devices',
    'This blocks no other device.',
    'Saved.',
    '2 devices will be released in the background.',
    'To undo: muster checks configure disk --strategy block-immediately',
  ])
  await recompute()
  assert.deepEqual([await blocked(), await strategyOf(check.id), (await entries()).length], [[], 'report_only', 2])
})

test('a number is refused where nothing is blocked, and of many devices ten are named', async () => {
  const { check } = await failing(10)
  await assert.rejects(run(configure, { check: 'disk', graceDays: 3, blocking: 1 }), {
    exitCode: 2,
    message: /^Not 1\.\n[\s\S]*This blocks no other device\.\n.* configure disk --grace-days 3$/,
  })
  await trial.db.updateTable('devices').set({ name: 'ma\u001bc' }).execute()
  const { id: owner } = await trial.db.selectFrom('people').select('id').executeTakeFirstOrThrow()
  const device = await make.device(trial.tenant.organizationId, { registered_owner_id: owner })
  await make.result({ device, check, rows: 'FAIL', at: trial.now() })
  await assert.rejects(run(configure, strategy('block-immediately')), ({ message }: Error) => {
    assert.match(message, / {2}Person 10 \(ma\u{FFFD}c\)\n {2}and 1 more\n/u)
    return true
  })
})

test('a check is paused and resumed', async () => {
  const { check, recompute } = await failing(1, { configuration: { remediation_strategy: 'block_immediately' } })
  await recompute()
  const paused = await run(configure, { check: 'disk', pause: true })
  assert.match(
    paused.out,
    /^disk: paused\nNo longer blocked: 1 device\n[\s\S]*\nTo undo: .* configure disk --unpause\n$/,
  )
  assert.match((await run(configure, { check: 'disk' })).out, /Paused: +since .* by .*\(command line\)/)
  await recompute()
  await assert.rejects(run(configure, { check: 'disk', unpause: true }), /configure disk --unpause --blocking 1$/)
  const resumed = await run(configure, { check: 'disk', unpause: true, blocking: 1 })
  assert.match(resumed.out, /To undo: muster checks configure disk --pause\n$/)
  const stored = await trial.ask('GET', `/checks/${check.id}/configurations`)
  assert.equal(stored.body.paused, false)
})

test('groups are named by name, identifier or platform, and an empty list by its word', async () => {
  const { organizationId } = trial.tenant
  const one = await make.deviceGroup(organizationId, { name: "Ada's laptops" })
  const two = await make.deviceGroup(organizationId, { name: 'Servers' })
  const { check } = await failing(0)
  const lists = { checkedOn: ['macos', "Ada's laptops"], neverBlocksIn: [two.id] }
  const { out } = await run(configure, { check: 'disk', ...lists })
  assert.match(out, /To undo: muster checks configure disk --checked-on all --never-blocks-in none\n$/)
  const { body } = await trial.ask('GET', `/checks/${check.id}/configurations`)
  assert.deepEqual([body.targeted_groups, body.blocking_excluded_groups], [[one.id, 'macos'], [two.id]])
  const none = await run(configure, { check: 'disk', checkedOn: ['all'], neverBlocksIn: ['none'] })
  assert.match(none.out, new RegExp(`--checked-on ${one.id} macos --never-blocks-in ${two.id}\n$`))
  const foreign = await make.deviceGroup((await trial.addTenant('Other')).organizationId, { name: 'Theirs' })
  const organization = organizationId
  for (const name of ['Theirs', foreign.id, 'No\u001bsuch']) {
    await assert.rejects(run(configure, { check: 'disk', organization, blocksIn: [name] }), {
      exitCode: 5,
      message: `There is no device group ${name.replace('\u001b', '\u{FFFD}')}: muster groups list`,
    })
  }
  await assert.rejects(run(configure, { check: 'disk', organization, checkedOn: ['none'] }), {
    exitCode: 2,
    message: '--checked-on takes groups and platforms, or all alone',
  })
  const namesake = await make.deviceGroup(organizationId, { name: 'Servers' })
  await assert.rejects(run(configure, { check: 'disk', organization, blocksIn: ['Servers'] }), {
    exitCode: 2,
    message: `Several device groups are called Servers: name one by its identifier, ${two.id}, ${namesake.id}`,
  })
})

test('what is too many is held, blocks nobody and needs no number', async () => {
  const { recompute } = await failing(12)
  await assert.rejects(run(configure, { ...strategy('block-immediately'), blocking: 12 }), {
    exitCode: 2,
    message: /^Not 12\.\n[\s\S]*\nHeld: +12 devices of 12 people\n[\s\S]*--strategy block-immediately$/,
  })
  const { out } = await run(configure, strategy('block-immediately'))
  assert.match(out, /12 devices of 12 people would be blocked without notice/)
  assert.match(out, /\nSaved\.\nThe blocks of 12 devices are held: muster checks holds list\nTo undo: /)
  assert.match((await run(checkCommands.listHolds, {})).out, / held .* Disk/)
  await recompute()
  assert.deepEqual(await blocked(), [])
})

test("another organization's check, and one that is deleted, are none", async () => {
  const { check } = await failing(1)
  const other = await trial.addTenant('Other')
  for (const named of [check.id, 'disk']) {
    await assert.rejects(run(configure, { check: named, organization: other.organizationId, pause: true }), {
      message: `There is no check ${named}: muster checks list shows them`,
    })
  }
  await trial.db.updateTable('checks').set({ deletion_requested_at: trial.now() }).execute()
  const { organizationId: organization } = trial.tenant
  for (const asked of [{}, { pause: true }]) {
    await assert.rejects(run(configure, { check: 'disk', organization, ...asked }), {
      message: 'There is no check disk: muster checks list',
    })
  }
})

testOnPostgres('a change waits for the one that someone else makes, and is judged by what that leaves', async () => {
  const { check } = await failing(2)
  const { organizationId } = trial.tenant
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const theirs = transact(trial.db, async (tx) => {
    await lockConfiguration(tx, organizationId, check.id)
    locked()
    await mayEnd
    const request = { blocking_allowed_groups: ['windows'] }
    await updateConfiguration(tx, { checkId: check.id, request }, systemChange(organizationId, trial.now()))
  })
  await isLocked
  const mine = run(configure, { ...strategy('block-immediately'), blocking: 2 })
  const refused = assert.rejects(mine, { exitCode: 2, message: /^Not 2\.\n[\s\S]*--strategy block-immediately$/ })
  await until(60_000, async () => {
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await waiting.execute(trial.db)).rows.length > 0
  })
  end()
  await Promise.all([theirs, refused])
  assert.deepEqual([await strategyOf(check.id), (await entries()).length], ['report_only', 1])
})
