import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { surveyOldAgents } from '../../compliance/results/survey-old-agents.ts'
import { surveyIdentities } from '../../inventory/devices/survey-identities.ts'
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
