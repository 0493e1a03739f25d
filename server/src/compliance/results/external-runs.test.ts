import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { invalidBody } from '../../../test/support/invalid-body.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)
const missing = { error: 'not_found', message: 'There is no such record.' }
const refusal = invalidBody
const fails = { KOLIDE_CHECK_STATUS: 'FAIL' }
const passes = { KOLIDE_CHECK_STATUS: 'PASS' }

beforeEach(async () => {
  await app.reset()
  app.setNow('2026-11-20T10:00:00.000Z')
})

const run = (checkId: string, body: unknown, key = app.tenant.key) =>
  app.ask('POST', `/checks/${checkId}/runs`, { key, body })

const resultsOf = (checkId: string) =>
  app.db
    .selectFrom('check_results')
    .select(['device_id', 'status', 'rows', 'ran_at', 'query_revision'])
    .where('check_id', '=', checkId)
    .orderBy('device_id')
    .execute()

const openIssues = async (
  path: string,
): Promise<{ id: string; issue_value: string | null; last_rechecked_at: string }[]> =>
  (await app.ask('GET', `${path}/open_issues`)).body.data

for (const version of apiVersions) {
  test(`a result for a device is stored, answered and judged in version ${version}`, async () => {
    const { organizationId } = app.tenant
    const check = await make.check(organizationId, { type: 'external' })
    const device = await make.device(organizationId)
    const checkData = { vendor: 'Acme MDM', enrolled: false, KOLIDE_CHECK_STATUS: 'FAIL' }
    const body = { device_id: Number(device.id), check_data: checkData }
    const headers = { 'x-service-api-version': version }
    const answer = await app.ask('POST', `/checks/${check.id}/runs`, { headers, body })
    const record = {
      check_id: check.id,
      device_id: device.id,
      status: 'FAIL',
      check_data: '{"vendor":"Acme MDM","enrolled":false,"KOLIDE_CHECK_STATUS":"FAIL"}',
      person_id: null,
      person_name: null,
      person_email: null,
    }
    assert.deepEqual([answer.status, answer.body], [200, record])
    const rows = [{ vendor: 'Acme MDM', enrolled: 'false', KOLIDE_CHECK_STATUS: 'FAIL' }]
    assert.deepEqual(await resultsOf(check.id), [
      { device_id: device.id, status: 'failing', rows, ran_at: app.now(), query_revision: null },
    ])
    assert.equal((await openIssues(`/devices/${device.id}`)).length, 1)
  })
}

test("a person's result opens an issue on each of their registered devices that the check targets", async () => {
  const { organizationId } = app.tenant
  const group = await make.deviceGroup(organizationId)
  const check = await make.check(organizationId, {
    type: 'external',
    platforms: [],
    configuration: { remediation_strategy: 'block_immediately', excluded_groups: [group.id] },
  })
  const owner = await make.person(organizationId, { name: 'Ada', email: 'Ada@acme.example' })
  const registered_owner_id = owner.id
  const mac = await make.device(organizationId, { registered_owner_id })
  const phone = await make.device(organizationId, { registered_owner_id, device_type: 'iOS', form_factor: 'phone' })
  const excluded = await make.device(organizationId, { registered_owner_id, groupIds: [group.id] })
  await make.device(organizationId)
  const answer = await run(check.id, { person_id: owner.id, check_data: [fails] })
  const record = {
    check_id: check.id,
    device_id: null,
    status: 'FAIL',
    check_data: '[{"KOLIDE_CHECK_STATUS":"FAIL"}]',
    person_id: owner.id,
    person_name: 'Ada',
    person_email: 'Ada@acme.example',
  }
  assert.deepEqual([answer.status, answer.body], [200, record])
  const issues = await app.db.selectFrom('issues').select(['device_id', 'blocks_device_at']).orderBy('id').execute()
  assert.deepEqual(issues, [
    { device_id: mac.id, blocks_device_at: app.now() },
    { device_id: phone.id, blocks_device_at: app.now() },
  ])
  const state = async (id: string) => (await app.ask('GET', `/devices/${id}`)).body.auth_state
  assert.deepEqual(
    [await state(mac.id), await state(phone.id), await state(excluded.id)],
    ['Blocked', 'Blocked', 'Good'],
  )
  app.setNow('2026-11-20T11:00:00.000Z')
  const mended = await run(check.id, { person_email: 'ADA@acme.example', check_data: JSON.stringify(passes) })
  const mendedRecord = { ...record, status: 'PASS', check_data: '{"KOLIDE_CHECK_STATUS":"PASS"}' }
  assert.deepEqual([mended.status, mended.body], [200, mendedRecord])
  assert.deepEqual(await openIssues(`/people/${owner.id}`), [])
  assert.deepEqual([await state(mac.id), await state(phone.id)], ['Good', 'Good'])
})

test('a result that says the same again moves the moment of the result and of its issue', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { type: 'external' })
  const device = await make.device(organizationId)
  const body = { device_id: device.id, check_data: fails }
  await run(check.id, body)
  const [first] = await openIssues(`/devices/${device.id}`)
  app.setNow('2026-11-20T11:30:00.000Z')
  assert.equal((await run(check.id, body)).status, 200)
  const [again] = await openIssues(`/devices/${device.id}`)
  assert.equal(again?.id, first?.id)
  assert.equal(again?.last_rechecked_at, '2026-11-20T11:30:00.000Z')
  const { body: results } = await app.ask('GET', `/checks/${check.id}/results`)
  assert.deepEqual(
    results.data.map((row: { ran_at: string }) => row.ran_at),
    ['2026-11-20T11:30:00.000Z'],
  )
})

test('each failing key is an issue of its own, resolved when a whole report leaves it out', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { type: 'external', primary_key_column: 'license' })
  const device = await make.device(organizationId)
  const report = (...licenses: string[]) =>
    run(check.id, { device_id: device.id, check_data: licenses.map((license) => ({ license, ...fails })) })
  await report('a', 'b')
  assert.deepEqual(
    (await openIssues(`/devices/${device.id}`)).map((issue) => issue.issue_value),
    ['a', 'b'],
  )
  await report('b')
  assert.deepEqual(
    (await openIssues(`/devices/${device.id}`)).map((issue) => issue.issue_value),
    ['b'],
  )
  const keyless = await run(check.id, { device_id: device.id, check_data: passes })
  const message = 'is required: it tells the issues of the check apart'
  assert.deepEqual([keyless.status, keyless.body], [422, refusal({ field: 'check_data/license', message })])
})

test('exactly one of device, person and address has to be named', async () => {
  const check = await make.check(app.tenant.organizationId, { type: 'external' })
  const message = 'give exactly one of device_id, person_id and person_email'
  const none = await run(check.id, { check_data: passes })
  assert.deepEqual([none.status, none.body], [422, refusal({ field: '', message })])
  const two = await run(check.id, { device_id: '1', person_email: 'ada@acme.example', check_data: passes })
  const errors = [
    { field: 'device_id', message },
    { field: 'person_email', message },
  ]
  assert.deepEqual([two.status, two.body], [422, refusal(...errors)])
})

test('a row without a valid status is refused at its place, and nothing is stored', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { type: 'external' })
  const device = await make.device(organizationId)
  const { status, body } = await run(check.id, { device_id: device.id, check_data: [passes, { vendor: 'Acme' }] })
  const message = 'must be one of FAIL, PASS, UNKNOWN, INAPPLICABLE, ERROR'
  assert.deepEqual([status, body], [422, refusal({ field: 'check_data/1/KOLIDE_CHECK_STATUS', message })])
  for (const check_data of [undefined, 3, null, true, 'PASS', [], [3]]) {
    const answer = await run(check.id, { device_id: device.id, check_data })
    assert.deepEqual([answer.status, answer.body.error], [422, 'invalid'], JSON.stringify(check_data))
    assert.equal(answer.body.errors[0].field.split('/')[0], 'check_data')
  }
  assert.deepEqual(
    (await resultsOf(check.id)).map((row) => row.status),
    ['pending'],
  )
})

test('only external checks take results from outside', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId)
  const device = await make.device(organizationId)
  const { status, body } = await run(check.id, { device_id: device.id, check_data: passes })
  const message = 'You can report results for external checks only.'
  assert.deepEqual(
    [status, body],
    [422, { error: 'check_not_external', message, errors: [{ field: 'checkId', message }] }],
  )
})

test('a paused check takes no results', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { type: 'external', configuration: { paused_at: app.now() } })
  const device = await make.device(organizationId)
  const { status, body } = await run(check.id, { device_id: device.id, check_data: fails })
  assert.deepEqual([status, body], [422, refusal({ field: '', message: 'the check is paused and takes no results' })])
  assert.deepEqual(
    (await resultsOf(check.id)).map((row) => row.status),
    ['pending'],
  )
})

test('a device or person that the check does not reach is refused by its field', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { type: 'external', platforms: ['windows'] })
  const holder = await make.person(organizationId)
  const mac = await make.device(organizationId, { registered_owner_id: holder.id })
  const idle = await make.person(organizationId)
  const refused: [body: object, field: string, message: string][] = [
    [{ device_id: mac.id }, 'device_id', 'the check does not target this device'],
    [{ person_id: holder.id }, 'person_id', 'the check targets no device of this person'],
    [{ person_email: idle.email }, 'person_email', 'no device is registered to this person'],
  ]
  for (const [subject, field, message] of refused) {
    const { status, body } = await run(check.id, { ...subject, check_data: fails })
    assert.deepEqual([status, body], [422, refusal({ field, message })])
  }
})

test('foreign, deleted and deprovisioned subjects are as unknown as any, and a foreign check is not there', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  const check = await make.check(organizationId, { type: 'external', platforms: [] })
  const foreignCheck = await make.check(other.organizationId, { type: 'external', platforms: [] })
  const stranger = await make.person(other.organizationId)
  const foreign = await make.device(other.organizationId, { registered_owner_id: stranger.id })
  const deleted = await make.device(organizationId, { deleted_at: app.now() })
  const gone = await make.person(organizationId, { deprovisioned_at: app.now() })
  for (const id of [foreign.id, deleted.id, '987654321']) {
    const { status, body } = await run(check.id, { device_id: id, check_data: fails })
    assert.deepEqual([status, body], [422, refusal({ field: 'device_id', message: 'there is no such device' })])
  }
  for (const id of [stranger.id, gone.id, '987654321']) {
    const { status, body } = await run(check.id, { person_id: id, check_data: fails })
    assert.deepEqual([status, body], [422, refusal({ field: 'person_id', message: 'there is no such person' })])
  }
  for (const email of [stranger.email, gone.email, 'nobody@acme.example']) {
    const { status, body } = await run(check.id, { person_email: email, check_data: fails })
    const message = 'there is nobody with this address'
    assert.deepEqual([status, body], [422, refusal({ field: 'person_email', message })])
  }
  for (const id of [foreignCheck.id, '987654321', 'x']) {
    const { status, body } = await run(id, { device_id: foreign.id, check_data: fails })
    assert.deepEqual([status, body], [404, missing])
  }
  assert.deepEqual(await app.db.selectFrom('issues').select('id').execute(), [])
})

test('reporting takes the permission Run External Checks and is not audited', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { type: 'external' })
  const device = await make.device(organizationId)
  const body = { device_id: device.id, check_data: fails }
  const refused = await run(check.id, body, app.tenant.readOnlyKey)
  const message = 'This key lacks the permission Run External Checks.'
  assert.deepEqual([refused.status, refused.body], [403, { error: 'permission_missing', message }])
  const key = await app.addKey(['run_external_checks'])
  const entries = () => app.db.selectFrom('audit_logs').select('id').execute()
  const before = await entries()
  assert.equal((await run(check.id, body, key)).status, 200)
  assert.deepEqual(await entries(), before)
})

test('values that are nested too deeply are refused, as rows and as JSON text', async () => {
  const check = await make.check(app.tenant.organizationId, { type: 'external' })
  const device = await make.device(app.tenant.organizationId)
  const nested = (levels: number) => `{"KOLIDE_CHECK_STATUS":"PASS","x":${'['.repeat(levels)}1${']'.repeat(levels)}}`
  const send = (checkData: string) =>
    app.ask('POST', `/checks/${check.id}/runs`, {
      body: `{"device_id":"${device.id}","check_data":${checkData}}`,
      headers: { 'content-type': 'application/json' },
    })
  const message =
    'must not have more than 64 levels, 25,000 objects and arrays, 100,000 values, or 5,000 members of an object'
  const { status, body } = await send(nested(5_000))
  assert.deepEqual([status, body], [422, invalidBody({ field: '', message })])
  assert.equal((await send(JSON.stringify(nested(5_000)))).status, 422)
  assert.equal((await send(nested(50))).status, 200)
})
