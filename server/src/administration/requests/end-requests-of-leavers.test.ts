import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { deprovisionPerson } from '../registrations/deprovision-person.ts'
import { decideRegistrationRequest } from './decide-registration-request.ts'
import { endRequestsOfLeavers } from './end-requests-of-leavers.ts'
import { reopenRegistrationRequest } from './reopen-registration-request.ts'

const database = testDatabase()
const make = makeIn(database)
const later = plusMs(startOfTests, 60_000)

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const sentences = async () =>
  (await database.db.selectFrom('audit_logs').select(['actor_type', 'description']).orderBy('id').execute()).map(
    (row) => `${row.actor_type}: ${row.description}`,
  )
const exemptions = () =>
  database.db.selectFrom('exemption_requests').select(['id', 'status', 'decided_at']).orderBy('id').execute()
const registrations = () =>
  database.db
    .selectFrom('registration_requests')
    .select(['id', 'status', 'internal_note', 'decided_at'])
    .orderBy('id')
    .execute()

async function leaverAndStayer() {
  const leaver = await make.person(organizationId, { name: 'Ada', email: 'ada@acme.example' })
  const stayer = await make.person(organizationId)
  const device = await make.device(organizationId, { name: 'Mac', registered_owner_id: leaver.id })
  const spare = await make.device(organizationId, { name: 'Spare' })
  const issue = await make.issue({ device, check: await make.check(organizationId) })
  return { leaver, stayer, device, spare, issue }
}

const deprovision = (personId: string) =>
  transact(database.db, (tx) => deprovisionPerson(tx, { personId }, systemChange(organizationId, startOfTests)))

test('what a deprovisioned person waits for is ended by the system, and nothing else', async () => {
  const { leaver, stayer, device, spare, issue } = await leaverAndStayer()
  const open = await make.exemptionRequest({ device, person: leaver, issues: [issue] })
  const denied = await make.exemptionRequest({ device, person: leaver, issues: [issue] }, { status: 'denied' })
  const kept = await make.exemptionRequest({ device, person: stayer, issues: [issue] })
  const pending = await make.registrationRequest({ device: spare, person: leaver })
  const others = await make.registrationRequest({ device: spare, person: stayer })
  assert.equal(await endRequestsOfLeavers(database.db, () => later), 0)
  await deprovision(leaver.id)
  const before = (await sentences()).length
  assert.equal(await endRequestsOfLeavers(database.db, () => later), 2)
  assert.deepEqual(await exemptions(), [
    { id: open.id, status: 'withdrawn', decided_at: later },
    { id: denied.id, status: 'denied', decided_at: startOfTests },
    { id: kept.id, status: 'open', decided_at: null },
  ])
  assert.deepEqual(await registrations(), [
    { id: pending.id, status: 'denied', internal_note: 'The person was deprovisioned.', decided_at: later },
    { id: others.id, status: 'pending', internal_note: null, decided_at: null },
  ])
  assert.deepEqual((await sentences()).slice(before), [
    'System: Withdrew the request of "Ada" (ada@acme.example) to exempt 1 issue of the device "Mac": the person was deprovisioned.',
    'System: Denied the request of "Ada" (ada@acme.example) to register the device "Spare": the person was deprovisioned.',
  ])
  const versions = await rowVersions(database.db)
  assert.equal(await endRequestsOfLeavers(database.db, () => later), 0)
  assert.deepEqual(await rowVersions(database.db), versions)
})

test('until then nobody decides about it, and afterwards nobody reopens it', async () => {
  const { leaver, spare } = await leaverAndStayer()
  const { id: requestId } = await make.registrationRequest({ device: spare, person: leaver })
  await deprovision(leaver.id)
  const gone = (error: unknown) => error instanceof ServiceError && error.code === 'request_withdrawn'
  const deciding = { requestId, decision: { status: 'approved' as const } }
  await assert.rejects(
    transact(database.db, (tx) => decideRegistrationRequest(tx, deciding, systemChange(organizationId, later))),
    gone,
  )
  await endRequestsOfLeavers(database.db, () => later)
  const reopening = { requestId }
  await assert.rejects(
    transact(database.db, (tx) => reopenRegistrationRequest(tx, reopening, systemChange(organizationId, later))),
    gone,
  )
})

test('requests about a deleted device wait for its restoration', async () => {
  const { leaver, spare } = await leaverAndStayer()
  await make.registrationRequest({ device: spare, person: leaver })
  await deprovision(leaver.id)
  const setDeleted = (deleted_at: string | null) =>
    database.db.updateTable('devices').set({ deleted_at }).where('id', '=', spare.id).execute()
  await setDeleted(startOfTests)
  assert.equal(await endRequestsOfLeavers(database.db, () => later), 0)
  await setDeleted(null)
  assert.equal(await endRequestsOfLeavers(database.db, () => later), 1)
})
