import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { invalidBody } from '../../../test/support/invalid-body.ts'
import { contextAt, type MadeCheck, makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const hour = (count: number) => plusMs(start, count * 3_600_000)
const missing = { error: 'not_found', message: 'There is no such record.' }
const refusal = invalidBody
const level = { kind: 'integer', title: 'Level', description: 'A number.', default: 5, min: 0, max: 9 }
const text = { kind: 'text_list', title: 'Names', description: 'Who.', default: [], maxLength: 9 }
const option_definitions = JSON.stringify({ level, names: { ...text, minItems: 0, maxItems: 3 } })

beforeEach(async () => {
  await app.reset()
  app.setNow(start)
})

const urlOf = (checkId: string) => `/checks/${checkId}/configurations`

const configure = (checkId: string, body: unknown, key = app.tenant.key, method = 'PATCH') =>
  app.ask(method, urlOf(checkId), { key, body })

const configurationOf = async ({ id }: MadeCheck) => (await app.ask('GET', urlOf(id))).body

const audits = () =>
  app.db
    .selectFrom('audit_logs')
    .select(['description', 'actor_type', 'actor_id', 'actor_name', 'ip_address', 'timestamp'])
    .where('description', 'like', 'Updated the configuration%')
    .orderBy('id')
    .execute()

/** What the worker does once it finds the job of a change. */
const recompute = ({ organization_id: organizationId, id: checkId }: MadeCheck) =>
  recomputeCheck(app.db, { organizationId, checkId }, () => contextAt(app.now()), new AbortController().signal)

const asMade = (check: MadeCheck) => ({
  id: check.configuration.id,
  organization_id: app.tenant.organizationId,
  check_id: check.id,
  name: check.name,
  check_slug: check.slug,
  issue_title: check.issue_title,
  options: '{}',
  use_custom_rationale_template: false,
  use_custom_fix_instructions_template: false,
  paused: false,
  paused_by: null,
  paused_at: null,
  revision: '1',
  block_auth_grace_period_days: 7,
  auth_check_run_shelf_life_seconds: 3_600,
  begins_blocking_on: null,
  snooze_disallowed: false,
  exemptions_disallowed: false,
  customized_remediation_targeting: false,
  customized_run_targeting: false,
  remediation_strategy: 'report_only',
  targeted_groups: [],
  excluded_groups: [],
  blocking_allowed_groups: [],
  blocking_excluded_groups: [],
})

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`getCheckConfiguration answers whole records in version ${version}`, async () => {
    const { organizationId, readOnlyKey } = app.tenant
    const group = await make.deviceGroup(organizationId)
    const shown = {
      paused_by: 'Ada Lovelace',
      paused_at: '2026-11-19T08:00:00.250Z',
      revision: '12',
      block_auth_grace_period_days: 3,
      auth_check_run_shelf_life_seconds: 60,
      begins_blocking_on: '2026-12-01T00:00:00.000Z',
      snooze_disallowed: true,
      exemptions_disallowed: true,
      remediation_strategy: 'warn_then_block' as const,
      targeted_groups: [group.id, 'macos'],
      excluded_groups: ['linux'],
      blocking_allowed_groups: ['macos'],
      blocking_excluded_groups: [group.id],
    }
    const full = await make.check(organizationId, {
      option_definitions,
      configuration: {
        ...shown,
        options: '{"names":["ada"]}',
        custom_rationale_template: 'Our own reason.',
        custom_fix_instructions_template: 'Our own instructions.',
      },
    })
    const bare = await make.check(organizationId, { type: 'external' })
    const record = {
      ...asMade(full),
      ...shown,
      options: '{"level":5,"names":["ada"]}',
      use_custom_rationale_template: true,
      use_custom_fix_instructions_template: true,
      paused: true,
      customized_remediation_targeting: true,
      customized_run_targeting: true,
    }
    const answers: [check: MadeCheck, body: unknown][] = [
      [full, record],
      [bare, asMade(bare)],
    ]
    for (const [check, expected] of answers) {
      const { status, body } = await app.ask('GET', urlOf(check.id), { headers, key: readOnlyKey })
      assert.deepEqual([status, body], [200, expected])
    }
  })

  test(`updateCheckConfiguration answers the whole record, by PATCH and by PUT, in version ${version}`, async () => {
    const { organizationId } = app.tenant
    const group = await make.deviceGroup(organizationId)
    const check = await make.check(organizationId, { option_definitions })
    app.setNow(hour(1))
    const request = {
      paused: true,
      block_auth_grace_period_days: 0,
      auth_check_run_shelf_life_seconds: 31_536_000,
      snooze_disallowed: true,
      exemptions_disallowed: true,
      targeted_groups: ['windows', Number(group.id), 'macos', group.id],
      excluded_groups: ['linux'],
      blocking_allowed_groups: [group.id],
      blocking_excluded_groups: ['macos'],
      options: { level: 0 },
      remediation_strategy: 'block_immediately',
    }
    const patched = await app.ask('PATCH', urlOf(check.id), { headers, body: request })
    const record = {
      ...asMade(check),
      ...request,
      options: '{"level":0,"names":[]}',
      paused_by: 'Full access',
      paused_at: hour(1),
      revision: '2',
      customized_remediation_targeting: true,
      customized_run_targeting: true,
      targeted_groups: [group.id, 'macos', 'windows'],
    }
    assert.deepEqual([patched.status, patched.body], [200, record])
    const put = await app.ask('PUT', urlOf(check.id), { headers, body: { paused: false, excluded_groups: [] } })
    const resumed = { paused: false, paused_by: null, paused_at: null, excluded_groups: [], revision: '3' }
    assert.deepEqual([put.status, put.body], [200, { ...record, ...resumed }], 'what PUT leaves out stays')
    assert.deepEqual((await app.ask('GET', urlOf(check.id), { headers })).body, { ...record, ...resumed })
  })
}

const changes: [request: CheckConfigurationRequest, clause: string][] = [
  [{ paused: true }, 'paused'],
  [{ block_auth_grace_period_days: 14 }, 'grace period changed from 7 to 14 days'],
  [{ auth_check_run_shelf_life_seconds: 60 }, 'maximum age of results at sign-in changed from 3600 to 60 seconds'],
  [{ snooze_disallowed: true }, 'snoozing no longer allowed'],
  [{ exemptions_disallowed: true }, 'exemption requests no longer allowed'],
  [{ targeted_groups: ['macos'] }, 'now runs only on macOS, before: on every device'],
  [{ excluded_groups: ['windows'] }, 'no longer runs on Windows'],
  [{ blocking_allowed_groups: ['linux'] }, 'now may block only on Linux, before: on every device'],
  [{ blocking_excluded_groups: ['linux'] }, 'never blocks on Linux'],
  [{ options: { level: 7 } }, 'option "level" changed from 5 to 7'],
  [{ remediation_strategy: 'notify_only' }, 'strategy changed from "Report only" to "Notify only"'],
]

for (const [request, clause] of changes) {
  test(`a change of ${Object.keys(request)} alone is stored and audited; the same again changes nothing`, async () => {
    const check = await make.check(app.tenant.organizationId, { name: 'Disk', option_definitions })
    const before = await configurationOf(check)
    const { status, body } = await configure(check.id, request)
    const paused = request.paused ? { paused_by: 'Full access', paused_at: start } : {}
    const isRunTargeting = request.targeted_groups !== undefined || request.excluded_groups !== undefined
    const isRemediation = Object.keys(request).some((name) => name.startsWith('blocking_'))
    const options = request.options === undefined ? before.options : '{"level":7,"names":[]}'
    const customized = { customized_run_targeting: isRunTargeting, customized_remediation_targeting: isRemediation }
    const after = { ...before, ...request, ...paused, ...customized, options, revision: '2' }
    assert.deepEqual([status, body], [200, after])
    const by = { actor_type: 'ApiKey', actor_id: app.tenant.keyId, actor_name: 'Full access', ip_address: '127.0.0.1' }
    const description = `Updated the configuration of the check "Disk": ${clause}.`
    assert.deepEqual(await audits(), [{ description, ...by, timestamp: start }])
    const versions = await rowVersions(app.db)
    app.setNow(hour(1))
    const again = await configure(check.id, request)
    assert.deepEqual([again.status, again.body], [200, after])
    assert.deepEqual(await rowVersions(app.db), versions)
  })
}

test('options come as an object or as its JSON text, and are replaced whole', async () => {
  const check = await make.check(app.tenant.organizationId, { option_definitions })
  const steps: [options: unknown, shown: string, revision: string][] = [
    [{ level: 7, names: ['ada'] }, '{"level":7,"names":["ada"]}', '2'],
    ['{"names":["ada"],"level":7}', '{"level":7,"names":["ada"]}', '2'],
    ['{"names":["bob"]}', '{"level":5,"names":["bob"]}', '3'],
    ['{}', '{"level":5,"names":[]}', '4'],
    [{}, '{"level":5,"names":[]}', '4'],
  ]
  for (const [options, shown, revision] of steps) {
    const { status, body } = await configure(check.id, { options })
    assert.deepEqual([status, body.options, body.revision], [200, shown, revision], JSON.stringify(options))
  }
})

test('members that nobody can set are ignored', async () => {
  const check = await make.check(app.tenant.organizationId)
  const versions = await rowVersions(app.db)
  const request = { id: '9', name: 'Mine', revision: '9', begins_blocking_on: hour(1), paused_by: 'Me', colour: 'red' }
  for (const body of [request, {}]) {
    const answer = await configure(check.id, body)
    assert.deepEqual([answer.status, answer.body], [200, asMade(check)])
  }
  assert.deepEqual(await rowVersions(app.db), versions)
  const partly = await configure(check.id, { ...request, snooze_disallowed: true })
  assert.deepEqual(partly.body, { ...asMade(check), snooze_disallowed: true, revision: '2' })
})

test('what is not acceptable is refused whole, by its member', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  const foreign = await make.deviceGroup(other.organizationId)
  const check = await make.check(organizationId, { option_definitions })
  const versions = await rowVersions(app.db)
  const named: [request: object, field: string, message: string][] = [
    [{ targeted_groups: ['macos', foreign.id] }, 'targeted_groups/1', 'there is no such device group'],
    [{ blocking_allowed_groups: [987654321] }, 'blocking_allowed_groups/0', 'there is no such device group'],
    [{ options: '{"level":' }, 'options', 'must be JSON text of an object'],
    [{ options: '[]' }, 'options', 'must be an object'],
    [{ options: 'null' }, 'options', 'must be an object'],
    [{ options: { level: 10 } }, 'options/level', 'must be a whole number from 0 to 9'],
    [{ options: '{"names":["Ada",1]}' }, 'options/names/1', 'must be a text that is not empty'],
    [{ options: { other: 1 } }, 'options/other', 'is not an option of this check'],
  ]
  for (const [request, field, message] of named) {
    const { status, body } = await configure(check.id, { snooze_disallowed: true, ...request })
    assert.deepEqual([status, body], [422, refusal({ field, message })], JSON.stringify(request))
  }
  const wrong = [
    { options: [] },
    { options: null },
    { paused: 'yes' },
    { paused: null },
    { block_auth_grace_period_days: -1 },
    { block_auth_grace_period_days: 1.5 },
    { block_auth_grace_period_days: '7' },
    { auth_check_run_shelf_life_seconds: 31_536_001 },
    { snooze_disallowed: 1 },
    { exemptions_disallowed: 'no' },
    { targeted_groups: 'macos' },
    { targeted_groups: ['ios'] },
    { excluded_groups: ['darwin'] },
    { excluded_groups: [-1] },
    { blocking_allowed_groups: [null] },
    { blocking_excluded_groups: [1.5] },
    { remediation_strategy: 'block' },
    { remediation_strategy: null },
    [],
  ]
  for (const request of wrong) {
    const { status, body } = await configure(check.id, request)
    assert.deepEqual([status, body.error], [422, 'invalid'], JSON.stringify(request))
  }
  assert.deepEqual(await rowVersions(app.db), versions)
})

test('a configuration of another organization is as unknown as any', async () => {
  const other = await app.addTenant()
  const check = await make.check(other.organizationId)
  for (const id of [check.id, '987654321', '0', '01', 'x']) {
    const answers = [await app.ask('GET', urlOf(id)), await configure(id, { paused: true })]
    for (const { status, body } of answers) assert.deepEqual([status, body], [404, missing], id)
  }
  assert.deepEqual(await audits(), [])
})

test('a configuration takes the permission Configure Checks and the feature Write API', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId)
  const message = 'This key lacks the permission Configure Checks.'
  for (const key of [app.tenant.readOnlyKey, await app.addKey(['refresh_check', 'run_external_checks'])]) {
    for (const method of ['PATCH', 'PUT']) {
      const { status, body } = await configure(check.id, { paused: true }, key, method)
      assert.deepEqual([status, body], [403, { error: 'permission_missing', message }])
    }
  }
  const enough = await app.addKey(['configure_checks'])
  assert.equal((await configure(check.id, { paused: true }, enough)).body.paused_by, 'Another key')
  await transact(app.db, (tx) =>
    setFeature(tx, { feature: 'write_api', isOn: false }, systemChange(organizationId, start)),
  )
  const refused = await configure(check.id, { paused: false }, enough)
  const unavailable = 'The feature Write API is not available to the organization.'
  assert.deepEqual([refused.status, refused.body], [401, { error: 'feature_unavailable', message: unavailable }])
  assert.equal((await configurationOf(check)).paused, true)
})

/** A failing and registered Mac, and what the API says of it. */
async function failingMac(configuration: NonNullable<Parameters<typeof make.check>[1]>['configuration'] = {}) {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const check = await make.check(organizationId, { option_definitions, configuration })
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  const issue = await make.issue({ device, check })
  const seen = async () => {
    const { auth_state, will_block_at } = (await app.ask('GET', `/devices/${device.id}`)).body
    const { blocks_device_at, resolved_at } = (await app.ask('GET', `/issues/${issue.id}`)).body
    return { auth_state, will_block_at, blocks_device_at, resolved_at }
  }
  const resultsOf = async () => {
    const { data } = (await app.ask('GET', `/checks/${check.id}/results`)).body
    return data.map((row: { status: string }) => row.status)
  }
  return { check, seen, resultsOf }
}

const nothing = { auth_state: 'Good', will_block_at: null, blocks_device_at: null, resolved_at: null }

test('a check that comes to block warns and then blocks once the background is through, with its grace', async () => {
  const { check, seen } = await failingMac()
  app.setNow(hour(1))
  await configure(check.id, { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 2 })
  assert.deepEqual(await seen(), nothing, 'not yet')
  await recompute(check)
  const blocksAt = hour(1 + 48)
  const warned = { auth_state: 'Will Block', will_block_at: blocksAt, blocks_device_at: blocksAt, resolved_at: null }
  assert.deepEqual(await seen(), warned)
  await configure(check.id, { block_auth_grace_period_days: 0 })
  await recompute(check)
  const blocked = { auth_state: 'Blocked', will_block_at: null, blocks_device_at: hour(1), resolved_at: null }
  assert.deepEqual(await seen(), blocked)
  await configure(check.id, { blocking_excluded_groups: ['macos'] })
  await recompute(check)
  assert.deepEqual(await seen(), { ...nothing, auth_state: 'Notified' })
  await configure(check.id, { remediation_strategy: 'report_only' })
  await recompute(check)
  assert.deepEqual(await seen(), nothing)
})

test('a paused check blocks nobody and loses nothing', async () => {
  const { check, seen, resultsOf } = await failingMac({ remediation_strategy: 'block_immediately' })
  assert.deepEqual(await seen(), { ...nothing, auth_state: 'Blocked', blocks_device_at: start })
  await configure(check.id, { paused: true })
  await recompute(check)
  assert.deepEqual([await seen(), await resultsOf()], [nothing, ['failing']])
  app.setNow(hour(2))
  await configure(check.id, { paused: false })
  await recompute(check)
  assert.deepEqual(await seen(), { ...nothing, auth_state: 'Blocked', blocks_device_at: hour(2) })
})

test('a device that is targeted no more loses its result and its issue, and begins again when it is again', async () => {
  const { check, seen, resultsOf } = await failingMac({ remediation_strategy: 'block_immediately' })
  app.setNow(hour(1))
  await configure(check.id, { excluded_groups: ['macos'] })
  await recompute(check)
  assert.deepEqual(await resultsOf(), [])
  const { auth_state, resolved_at } = await seen()
  assert.deepEqual([auth_state, resolved_at], ['Good', hour(1)])
  await configure(check.id, { excluded_groups: [] })
  await recompute(check)
  assert.deepEqual(await resultsOf(), ['pending'])
})

test('other options make the result stale and leave its issue', async () => {
  const { check, seen, resultsOf } = await failingMac({ remediation_strategy: 'block_immediately' })
  const blocked = { ...nothing, auth_state: 'Blocked', blocks_device_at: start }
  await configure(check.id, { options: { level: 1 } })
  assert.deepEqual(await resultsOf(), ['failing'], 'not yet')
  await recompute(check)
  assert.deepEqual([await resultsOf(), await seen()], [['stale'], blocked])
})
