import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { sourceAt } from '../../../test/support/source-at.ts'
import { type Actor, newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { minuteMs, plusMs } from '../../base/time.ts'
import { requestRegistration } from '../requests/request-registration.ts'
import { assignOwner } from './assign-owner.ts'
import { deleteDevice } from './delete-device.ts'
import { registerDevice } from './register-device.ts'
import { unregisterDevice } from './unregister-device.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * minuteMs)

let organizationId: string
let ada: Awaited<ReturnType<typeof make.person>>
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  ada = await make.person(organizationId, { name: 'Ada Lovelace', email: 'ada@acme.example' })
})

const byAda = (now: string) => {
  const actor: Actor = { type: 'Person', id: ada.id, name: ada.name, email: ada.email, source: sourceAt('192.0.2.1') }
  return newChange(actor, organizationId, now)
}

/** Registers devices that enroll with the person's secret at so many minutes. */
async function registerAt(minutes: readonly number[], personId = ada.id) {
  const made: string[] = []
  for (const at of minutes) {
    const { id: deviceId } = await make.device(organizationId)
    await transact(database.db, (tx) => registerDevice(tx, { deviceId, personId, isByOwner: true }, byAda(minute(at))))
    made.push(deviceId)
  }
  return made
}

async function assignAt(minutes: readonly number[]) {
  for (const at of minutes) {
    const { id: deviceId } = await make.device(organizationId)
    const assignment = { deviceId, personId: ada.id, requirePower: () => undefined }
    await transact(database.db, (tx) => assignOwner(tx, assignment, byAda(minute(at))))
  }
}

const entries = () =>
  database.db
    .selectFrom('audit_logs')
    .select(['timestamp', 'actor_name', 'ip_address', 'about', 'description'])
    .where('action', '=', 'person.registered_many_devices')
    .orderBy('id')
    .execute()
const times = async () => (await entries()).map(({ timestamp }) => timestamp)

test('the fifth device that a person registers within an hour is told of, once', async () => {
  await registerAt([0, 10, 20, 60])
  assert.deepEqual(await entries(), [])
  await registerAt([60])
  const entry = {
    timestamp: minute(60),
    actor_name: 'Ada Lovelace',
    ip_address: '192.0.2.1',
    about: [`person:${ada.id}`],
    description:
      '"Ada Lovelace" (ada@acme.example) registered 5 devices or more within an hour, with an enrollment secret issued for them or at a sign-in.',
  }
  assert.deepEqual(await entries(), [entry])
  await registerAt([60, 61, 119])
  assert.deepEqual(await entries(), [entry])
})

test('it is told of again after an hour', async () => {
  await registerAt([0, 15, 30, 45, 60, 75, 90, 105])
  assert.deepEqual(await times(), [minute(60)])
  await registerAt([120, 135])
  assert.deepEqual(await times(), [minute(60), minute(120)])
})

test('devices spread over more than an hour, and those of several people, are not told of', async () => {
  await registerAt([0, 16, 32, 48, 64, 80, 96])
  await registerAt([96, 96], (await make.person(organizationId)).id)
  assert.deepEqual(await times(), [])
})

test('devices that others assigned do not count', async () => {
  await assignAt([0, 1, 2, 3, 4])
  await registerAt([5, 6, 7, 8])
  assert.deepEqual(await times(), [])
})

test('a device that is deleted or not the person’s anymore does not count, nor one that they are given back', async () => {
  const [first = '', second = ''] = await registerAt([0, 1, 2, 3])
  const at = byAda(minute(4))
  await transact(database.db, (tx) => deleteDevice(tx, { deviceId: first }, at))
  await transact(database.db, (tx) => unregisterDevice(tx, { deviceId: second }, at))
  await transact(database.db, (tx) => registerDevice(tx, { deviceId: second, personId: ada.id }, at))
  await registerAt([5, 6])
  assert.deepEqual(await times(), [])
  await registerAt([7])
  assert.deepEqual(await times(), [minute(7)])
})

test('a device that is registered on first use at a sign-in counts', async () => {
  const device = await make.device(organizationId)
  const asked = { deviceId: device.id, personId: ada.id, message: '' }
  await transact(database.db, (tx) => requestRegistration(tx, asked, byAda(minute(0))))
  await registerAt([1, 2, 3])
  assert.deepEqual(await times(), [])
  await registerAt([4])
  assert.deepEqual(await times(), [minute(4)])
})
