import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { sourceAt } from '../../../test/support/source-at.ts'
import { type Actor, newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { updateConfiguration } from './update-configuration.ts'

const database = testDatabase()
const make = makeIn(database)
const now = plusMs(startOfTests, 60_000)
const actor: Actor = { type: 'ApiKey', id: '9', name: 'Terraform', email: null, source: sourceAt('192.0.2.7') }
const definitions = {
  level: { kind: 'integer', title: 'Level', description: 'A number.', default: 5, min: 0, max: 9 },
  names: {
    kind: 'text_list',
    title: 'Names',
    description: 'Who.',
    default: [],
    maxLength: 9,
    minItems: 0,
    maxItems: 3,
  },
}

let organizationId: string
let check: MadeCheck
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  check = await make.check(organizationId, {
    name: 'Disk "C" is encrypted',
    option_definitions: JSON.stringify(definitions),
  })
})

type Elsewhere = { organization?: string; checkId?: string }

const update = (
  request: CheckConfigurationRequest,
  { organization = organizationId, checkId = check.id }: Elsewhere = {},
) => transact(database.db, (tx) => updateConfiguration(tx, { checkId, request }, newChange(actor, organization, now)))

const stored = () => database.db.selectFrom('check_configurations').selectAll().executeTakeFirstOrThrow()
const sentences = async () =>
  (await database.db.selectFrom('audit_logs').select('description').orderBy('id').execute()).map(
    (row) => row.description,
  )
const scopes = async () =>
  (await database.db.selectFrom('check_recomputations').select('scope').execute()).map((row) => row.scope)
const notices = () => database.db.selectFrom('agent_notices').select(['organization_id', 'device_id']).execute()
const jobs = async () =>
  (
    await sql<{ name: string; data: object }>`select name, data from pgboss.job order by created_on`.execute(
      database.db,
    )
  ).rows

test('a change raises the revision, is audited setting by setting and recomputes in the background', async () => {
  await update({ remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 3, snooze_disallowed: true })
  const after = await stored()
  assert.deepEqual(after, {
    ...check.configuration,
    remediation_strategy: 'warn_then_block',
    block_auth_grace_period_days: 3,
    snooze_disallowed: true,
    revision: '2',
    updated_at: now,
  })
  const [entry] = await database.db.selectFrom('audit_logs').selectAll().execute()
  assert.deepEqual(
    [entry?.actor_type, entry?.actor_id, entry?.actor_name, entry?.ip_address, entry?.timestamp],
    ['ApiKey', '9', 'Terraform', '192.0.2.7', now],
  )
  assert.deepEqual(await sentences(), [
    'Updated the configuration of the check "Disk "C" is encrypted": grace period changed from 7 to 3 days; snoozing no longer allowed; strategy changed from "Report only" to "Warn, then block".',
  ])
  assert.deepEqual([await scopes(), await notices()], [['open_issues'], []])
  const caused = { cause: entry?.cause, requestId: entry?.request_id }
  assert.match(caused.cause ?? '', /^[0-9a-f-]{36}$/)
  assert.deepEqual(await jobs(), [{ name: 'recompute-check', data: { organizationId, checkId: check.id, ...caused } }])
})

test('a request for what is so already writes nothing', async () => {
  await update({ options: { level: 3 }, targeted_groups: ['windows', 'macos'], paused: true })
  const versions = await rowVersions(database.db)
  await update({ options: '{"names":[],"level":3}', targeted_groups: ['macos', 'windows', 'macos'], paused: true })
  await update({})
  assert.deepEqual(await rowVersions(database.db), versions)
})

test('options that spell out the current defaults change nothing', async () => {
  const versions = await rowVersions(database.db)
  await update({ options: { level: 5 } })
  await update({ options: {} })
  assert.deepEqual(await rowVersions(database.db), versions)
})

test('options are replaced whole, change the query and are told to agents', async () => {
  await update({ options: { names: ['ada'] } })
  await update({ options: { level: 7 } })
  const after = await stored()
  assert.deepEqual([after.options, after.revision, after.query_revision], [{ level: 7, names: [] }, '3', '3'])
  assert.deepEqual(await sentences(), [
    'Updated the configuration of the check "Disk "C" is encrypted": option "names" changed from [] to ["ada"].',
    'Updated the configuration of the check "Disk "C" is encrypted": option "level" changed from 5 to 7; option "names" changed from ["ada"] to [].',
  ])
  assert.deepEqual(await scopes(), ['all_devices'])
  const notice = { organization_id: organizationId, device_id: null }
  assert.deepEqual(await notices(), [notice, notice])
  assert.equal((await jobs()).length, 1, 'one job waits for both changes')
})

test('pausing says who paused and when, and ending it says neither', async () => {
  await update({ paused: true })
  const paused = await stored()
  assert.deepEqual([paused.paused_at, paused.paused_by, paused.query_revision], [now, 'Terraform', '1'])
  assert.equal((await notices()).length, 1)
  await update({ paused: false })
  const resumed = await stored()
  assert.deepEqual([resumed.paused_at, resumed.paused_by, resumed.revision], [null, null, '3'])
})

test('another change of a paused check leaves who paused it', async () => {
  await update({ paused: true })
  await transact(database.db, (tx) =>
    updateConfiguration(
      tx,
      { checkId: check.id, request: { snooze_disallowed: true } },
      newChange({ ...actor, name: 'Someone else' }, organizationId, plusMs(now, 1)),
    ),
  )
  const after = await stored()
  assert.deepEqual([after.paused_at, after.paused_by], [now, 'Terraform'])
})

const without: [CheckConfigurationRequest, string[]][] = [
  [{ auth_check_run_shelf_life_seconds: 60 }, []],
  [{ snooze_disallowed: true, exemptions_disallowed: true }, []],
  [{ blocking_allowed_groups: ['macos'] }, ['open_issues']],
  [{ blocking_excluded_groups: ['macos'], excluded_groups: ['linux'] }, ['all_devices']],
]
for (const [request, expected] of without) {
  test(`a change of ${Object.keys(request).join(' and ')} recomputes ${expected[0] ?? 'nothing'}`, async () => {
    await update(request)
    assert.deepEqual(await scopes(), expected)
    assert.equal((await jobs()).length, expected.length)
  })
}

async function refusal(request: CheckConfigurationRequest, of?: Parameters<typeof update>[1]): Promise<ServiceError> {
  const versions = await rowVersions(database.db)
  const error = await update(request, of).then(
    () => assert.fail('it was accepted'),
    (reason: unknown) => reason,
  )
  assert.deepEqual(await rowVersions(database.db), versions)
  assert.ok(error instanceof ServiceError)
  return error
}

test('faulty options are refused by their fields and nothing is written', async () => {
  const error = await refusal({ paused: true, options: { level: 10, names: 'ada', more: 1 } })
  assert.equal(error.code, 'invalid')
  assert.deepEqual(error.errors, [
    { field: 'options/more', message: 'is not an option of this check' },
    { field: 'options/level', message: 'must be a whole number from 0 to 9' },
    { field: 'options/names', message: 'must be a list' },
  ])
})

test('a group that never was and a group of another organization are refused alike', async () => {
  const foreign = await make.deviceGroup((await make.organization()).id)
  const own = await make.deviceGroup(organizationId)
  const error = await refusal({ targeted_groups: [own.id, foreign.id], blocking_excluded_groups: ['999', 'macos'] })
  assert.equal(error.code, 'invalid')
  assert.deepEqual(error.errors, [
    { field: 'targeted_groups/1', message: 'there is no such device group' },
    { field: 'blocking_excluded_groups/0', message: 'there is no such device group' },
  ])
})

test('a check that is not there and a check of another organization are refused alike', async () => {
  const { id } = await make.organization()
  const refusals = [
    await refusal({ paused: true }, { organization: id }),
    await refusal({ paused: true }, { checkId: '999' }),
  ]
  assert.deepEqual(
    refusals.map((error) => [error.code, error.message]),
    [
      ['not_found', 'There is no such record.'],
      ['not_found', 'There is no such record.'],
    ],
  )
})
