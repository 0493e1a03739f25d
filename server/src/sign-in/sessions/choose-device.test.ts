import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { registerDevice } from '../../administration/registrations/register-device.ts'
import { transact } from '../../base/db/transact.ts'

const { stage, make, change, setUp, addKey, epochOf, arrive, finishPath } = signInStage()

type All = Awaited<ReturnType<typeof setUp>>
type Visit = Awaited<ReturnType<typeof arrive>>
type Key = All['companion']

/** Another machine whose agent answers the same browser. */
async function addMachine({ organizationId }: All, name: string, columns: object = {}) {
  const device = await make.device(organizationId, { name, ...columns })
  return { device, companion: await addKey(device.id) }
}

async function proveAll(visit: Visit, keys: readonly Key[]): Promise<string> {
  const proofs: string[] = []
  for (const key of keys) proofs.push(await key.prove(await visit.challenge(), await epochOf(key.kid)))
  const { status, text } = await visit.post('proof', { proofs })
  assert.equal(status, 200, text)
  return (JSON.parse(text) as { state: string }).state
}

const devicesOfLogs = () => stage.db.selectFrom('auth_logs').select(['device_id', 'result']).orderBy('id').execute()
const found = async () =>
  (await stage.db.selectFrom('auth_log_events').select('type').where('type', '=', 'agent_detection_success').execute())
    .length
const owners = () => stage.db.selectFrom('devices').select(['name', 'registered_owner_id']).orderBy('id').execute()
const stateOf = async (visit: Visit) => /data-state="(\w+)"/.exec((await visit.go(`${visit.path}/region`)).text)?.[1]

test('of two machines that belong to nobody the person says which one this is, and only that one is registered and logged', async () => {
  const all = await setUp({ isRegistered: false })
  const vm = await addMachine(all, 'ana-x1-ubuntu', { serial: 'VM-4711' })
  const visit = await arrive(all)
  assert.equal(await proveAll(visit, [all.companion, vm.companion]), 'which_device')
  const { text } = await visit.go(visit.path)
  assert.match(text, /Which computer is this\?.*Use ana-x1<.*Use ana-x1-ubuntu</s)
  assert.match(text, /serial number ends in 4711/)
  assert.deepEqual([await found(), await devicesOfLogs()], [0, [{ device_id: null, result: 'Fail' }]])
  assert.equal((await visit.post('register')).status, 404)
  assert.equal((await visit.post('choose', { device_id: vm.device.id })).status, 200)
  assert.match((await visit.go(visit.path)).text, /Is this your computer\?.*ana-x1-ubuntu/s)
  assert.equal((await visit.post('choose', { device_id: all.device.id })).status, 404)
  assert.equal((await visit.post('register')).status, 200)
  assert.deepEqual(await owners(), [
    { name: 'ana-x1', registered_owner_id: null },
    { name: 'ana-x1-ubuntu', registered_owner_id: all.person.id },
  ])
  assert.match((await visit.follow(await finishPath(visit))).away ?? '', /code=/)
  assert.deepEqual([await found(), await devicesOfLogs()], [1, [{ device_id: vm.device.id, result: 'Success' }]])
})

test('two choices at the same time choose one device', async () => {
  const all = await setUp({ isRegistered: false })
  const vm = await addMachine(all, 'vm')
  const visit = await arrive(all)
  await proveAll(visit, [all.companion, vm.companion])
  await Promise.all([all.device.id, vm.device.id].map((id) => visit.post('choose', { device_id: id })))
  assert.equal(await found(), 1)
  const [session] = await stage.db.selectFrom('signin_sessions').select('device_id').execute()
  assert.deepEqual(
    (await devicesOfLogs()).map(({ device_id: id }) => id),
    [session?.device_id],
  )
})

test('only a device that has proved itself in this sign-in is chosen', async () => {
  const all = await setUp({ isRegistered: false })
  const vm = await addMachine(all, 'vm')
  const elsewhere = await addMachine(all, 'elsewhere')
  const visit = await arrive(all)
  assert.equal((await visit.post('choose', { device_id: all.device.id })).status, 404)
  await proveAll(visit, [all.companion, vm.companion])
  for (const id of [elsewhere.device.id, '', 'x', undefined]) {
    assert.equal((await visit.post('choose', { device_id: id })).status, 404)
  }
  assert.equal(await stateOf(visit), 'which_device')
})

test('the person’s own device counts without a question, then one that is shared with them', async () => {
  const own = await setUp()
  const vm = await addMachine(own, 'vm')
  const visit = await arrive(own)
  assert.equal(await proveAll(visit, [vm.companion, own.companion]), 'passed')
  assert.deepEqual(
    (await devicesOfLogs()).map(({ device_id: id }) => id),
    [own.device.id],
  )
  await stage.reset()
  const all = await setUp({ isRegistered: false })
  const shared = await addMachine(all, 'reception', { authentication_mode: 'anyone' })
  const other = await make.person(all.organizationId, { email: 'it@example.com' })
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: shared.device.id, personId: other.id }, change()))
  await stage.db
    .updateTable('devices')
    .set({ authentication_mode: 'anyone' })
    .where('id', '=', shared.device.id)
    .execute()
  assert.equal(await proveAll(await arrive(all), [all.companion, shared.companion]), 'passed')
})

test('a question that answers itself is not asked any longer', async () => {
  const all = await setUp({ isRegistered: false })
  const vm = await addMachine(all, 'vm')
  const visit = await arrive(all)
  await proveAll(visit, [all.companion, vm.companion])
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: vm.device.id, personId: all.person.id }, change()))
  assert.equal(await stateOf(visit), 'passed')
  assert.deepEqual(
    (await devicesOfLogs()).map(({ device_id: id }) => id),
    [vm.device.id],
  )
})

test('to an unknown person and in a trial no device is named', async () => {
  const all = await setUp({ isRegistered: false })
  const other = await addMachine(all, 'the-vm')
  const stranger = await arrive(all, 'stranger@example.com')
  assert.equal(await proveAll(stranger, [all.companion, other.companion]), 'unknown_person')
  await stage.db.updateTable('signin_connections').set({ mode: 'observe' }).execute()
  assert.equal(await proveAll(await arrive(all), [all.companion, other.companion]), 'observed')
})
