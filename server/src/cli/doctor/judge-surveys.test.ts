import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { surveyOldAgents } from '../../compliance/results/survey-old-agents.ts'
import { surveyIdentities } from '../../inventory/devices/survey-identities.ts'
import { recordProblems } from '../../reporting/problems/record-problems.ts'
import { surveyProblems } from '../../reporting/problems/survey-problems.ts'
import { describeFinding } from './finding.ts'
import { judgeSurveys } from './judge-surveys.ts'

const database = testDatabase()
const make = makeIn(database)

const judged = async () => judgeSurveys({ identities: await surveyIdentities(database.db) }).map(describeFinding)

test('doctor names the devices whose identity is in doubt, and the command that ends it', async () => {
  await database.ready
  await database.reset()
  const { id: organizationId } = await make.organization()
  assert.deepEqual(await judged(), ['✓ device identities: none in doubt'])
  const [suspended, conflict] = [await make.device(organizationId), await make.device(organizationId)]
  await database.db
    .updateTable('devices')
    .set({ registration_suspended_at: startOfTests })
    .where('id', '=', suspended.id)
    .execute()
  await database.db
    .updateTable('devices')
    .set({ identity_conflict_since: startOfTests })
    .where('id', '=', conflict.id)
    .execute()
  const findings = await judged()
  assert.equal(findings.length, 2)
  assert.match(
    findings.join('\n'),
    new RegExp(`! device identities: the registration of .*\\(${suspended.id}, .*confirm-registration ${suspended.id}`),
  )
  assert.match(
    findings.join('\n'),
    new RegExp(`two agents enroll as .*\\(${conflict.id}, .*resolve-identity-conflict ${conflict.id}`),
  )
})

test('doctor counts what an upgrade of osquery would settle', async () => {
  await database.ready
  await database.reset()
  const { id: organizationId } = await make.organization()
  const old = async () => judgeSurveys({ oldAgents: await surveyOldAgents(database.db) }).map(describeFinding)
  assert.deepEqual(await old(), ['✓ osquery: new enough for every check that has run'])
  const [one, other] = [await make.check(organizationId), await make.check(organizationId)]
  const devices = [await make.device(organizationId), await make.device(organizationId)]
  const rows = [{ KOLIDE_CHECK_STATUS: 'UNKNOWN', needs_osquery: '5.23.0' }]
  for (const device of devices) await make.result({ device, check: one, rows })
  await make.result({ device: devices[0] ?? assert.fail(), check: other, rows })
  assert.deepEqual(await old(), [
    '! osquery: 2 checks need 5.23.0 or newer to tell, on 2 devices: upgrade osquery there',
  ])
  const later = '2026-11-20T11:00:00.000Z'
  for (const device of devices) await make.result({ device, check: one, rows: 'PASS', at: later })
  assert.deepEqual(await old(), [
    '! osquery: 1 check needs 5.23.0 or newer to tell, on 1 device: upgrade osquery there',
  ])
})

test('doctor counts the devices whose agents refuse or lack a reporting table, without their words', async () => {
  await database.ready
  await database.reset()
  const tables = async () => judgeSurveys({ tableProblems: await surveyProblems(database.db) }).map(describeFinding)
  assert.deepEqual(await tables(), ['✓ tables: no agent refuses or lacks one'])
  const organizations = [await make.organization(), await make.organization()]
  await database.db.updateTable('organizations').set({ disabled_features: [] }).execute()
  const record = async (organization: number, problems: Parameters<typeof recordProblems>[2]) => {
    const organizationId = organizations[organization]?.id ?? assert.fail()
    const { id: deviceId } = await make.device(organizationId)
    await recordProblems(database.db, { organizationId, deviceId }, problems, startOfTests)
    return deviceId
  }
  const denied = { tableName: 'device_users', type: 'denied', message: 'their words' } as const
  const bundled = { tableName: 'device_battery', type: 'missing', message: 'not collected: device_battery' } as const
  await record(0, [bundled])
  assert.deepEqual(await tables(), ['✓ tables: no agent refuses or lacks one'])
  await record(0, [denied, bundled, { ...denied, tableName: 'device_of_an_older_version' }])
  await record(1, [denied, { tableName: 'device_battery', type: 'missing', message: 'no such table: battery' }])
  await record(1, [{ ...denied, type: 'failed' }])
  const gone = await record(1, [denied])
  await database.db.updateTable('devices').set({ deleted_at: startOfTests }).where('id', '=', gone).execute()
  assert.deepEqual(await tables(), [
    '! tables: device_users is refused by the agent on 2 devices: see the Inventory of the device',
    '! tables: device_battery is missing in the agent on 1 device: upgrade osquery there',
    '! tables: device_users fails on 1 device: see the Inventory of the device',
  ])
  const names = ['device_uptime', 'device_routes', 'device_patches', 'device_mounts']
  for (const _time of [1, 2, 3])
    await record(
      0,
      names.map((tableName) => ({ ...denied, tableName })),
    )
  assert.equal((await tables()).length, 5)
  await database.db
    .updateTable('organizations')
    .set({ disabled_features: ['reporting'] })
    .execute()
  assert.deepEqual(await tables(), ['✓ tables: no agent refuses or lacks one'])
})
