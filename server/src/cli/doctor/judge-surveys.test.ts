import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
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
