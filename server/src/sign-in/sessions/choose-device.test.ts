import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOfProof } from '../../../test/support/answer-of-proof.ts'
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

type Answer = { status: number; state?: string; error?: { code: string } }
const toBrowser = { peer: { uid: 1_000, program: 'firefox-esr' } }

async function proveAll(visit: Visit, keys: readonly (Key | [Key, object])[]): Promise<Answer> {
  const proofs: string[] = []
  for (const given of keys) {
    const [key, more] = Array.isArray(given) ? given : [given, {}]
    proofs.push(await key.prove(await visit.challenge(), await epochOf(key.kid), more))
  }
  const { status, text } = await visit.post('proof', { proofs })
  return { status, ...(answerOfProof(text) as Omit<Answer, 'status'>) }
}

const devicesOfLogs = () => stage.db.selectFrom('auth_logs').select(['device_id', 'result']).orderBy('id').execute()
const found = async () =>
  (await stage.db.selectFrom('auth_log_events').select('type').where('type', '=', 'agent_detection_success').execute())
    .length
const owners = () => stage.db.selectFrom('devices').select(['name', 'registered_owner_id']).orderBy('id').execute()
const reasonsOfLogs = () =>
  stage.db
    .selectFrom('auth_log_events')
    .select(['type', 'description'])
    .where('type', '=', 'agent_detection_failure')
    .execute()

const several = { status: 403, error: { code: 'several_devices' } }

test('of several machines that belong to nobody none counts; the page names them, and continues once one is left', async () => {
  const all = await setUp({ isRegistered: false })
  const vm = await addMachine(all, 'ana-x1-ubuntu')
  const visit = await arrive(all)
  const { status, error } = await proveAll(visit, [all.companion, vm.companion])
  assert.deepEqual([status, error?.code], [several.status, several.error.code])
  const { text } = await visit.go(visit.path)
  assert.match(text, /data-state="no_answer" [^>]*data-reason="several_devices"/)
  assert.match(text, /More than one computer answered: ana-x1, ana-x1-ubuntu\./)
  assert.deepEqual([await found(), await devicesOfLogs()], [0, [{ device_id: null, result: 'Fail' }]])
  assert.equal((await visit.post('register')).status, 404)
  assert.deepEqual(await reasonsOfLogs(), [
    { type: 'agent_detection_failure', description: 'More than one device answered.' },
  ])
  assert.equal((await proveAll(visit, [vm.companion])).state, 'register')
  assert.equal((await visit.post('register')).status, 200)
  assert.deepEqual(await owners(), [
    { name: 'ana-x1', registered_owner_id: null },
    { name: 'ana-x1-ubuntu', registered_owner_id: all.person.id },
  ])
  assert.match((await visit.follow(await finishPath(visit))).away ?? '', /code=/)
  assert.deepEqual([await found(), await devicesOfLogs()], [1, [{ device_id: vm.device.id, result: 'Success' }]])
})

test('the page is told when another device answers, and not when the same ones do again', async () => {
  const all = await setUp({ isRegistered: false })
  const [vm, wsl] = [await addMachine(all, 'vm'), await addMachine(all, 'wsl')]
  const visit = await arrive(all)
  const revision = async () =>
    (await stage.db.selectFrom('signin_sessions').select('revision').executeTakeFirstOrThrow()).revision
  await proveAll(visit, [all.companion, vm.companion])
  const told = await revision()
  await proveAll(visit, [vm.companion, all.companion])
  assert.equal(await revision(), told)
  await proveAll(visit, [vm.companion, wsl.companion, all.companion])
  assert.ok((await revision()) > told)
  assert.match((await visit.go(visit.path)).text, /More than one computer answered: ana-x1, vm, wsl\./)
})

test('of several that stand alike the one that a browser asked counts', async () => {
  const all = await setUp({ isRegistered: false })
  const vm = await addMachine(all, 'vm')
  const asked: [Key, object] = [all.companion, toBrowser]
  assert.equal((await proveAll(await arrive(all), [vm.companion, asked])).state, 'register')
  const both = await proveAll(await arrive(all), [[vm.companion, toBrowser], asked])
  assert.equal(both.error?.code, 'several_devices')
  const script = { peer: { uid: 1_000, program: 'curl' } }
  assert.equal(
    (await proveAll(await arrive(all), [vm.companion, [all.companion, script]])).error?.code,
    'several_devices',
  )
})

test('a browser that asked makes no device of another standing count', async () => {
  const all = await setUp()
  const vm = await addMachine(all, 'vm')
  assert.equal((await proveAll(await arrive(all), [[vm.companion, toBrowser], all.companion])).state, 'passed')
})

test('of several of the person the one that a browser asked counts, else none: a healthy one stands in for no blocked one', async () => {
  const all = await setUp({ authState: 'blocked' })
  const vm = await addMachine(all, 'vm')
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: vm.device.id, personId: all.person.id }, change()))
  assert.equal((await proveAll(await arrive(all), [all.companion, vm.companion])).error?.code, 'several_devices')
  const asked = await proveAll(await arrive(all), [[all.companion, toBrowser], vm.companion])
  assert.equal(asked.state, 'blocked')
})

test('the person’s own device counts without a question, then one that is shared with them', async () => {
  const own = await setUp()
  const vm = await addMachine(own, 'vm')
  const visit = await arrive(own)
  assert.equal((await proveAll(visit, [vm.companion, own.companion])).state, 'passed')
  assert.deepEqual(
    (await devicesOfLogs()).map(({ device_id: id }) => id),
    [own.device.id],
  )
  await stage.reset()
  const all = await setUp({ isRegistered: false })
  const shared = await addMachine(all, 'reception')
  const other = await make.person(all.organizationId, { email: 'it@example.com' })
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: shared.device.id, personId: other.id }, change()))
  await stage.db
    .updateTable('devices')
    .set({ authentication_mode: 'anyone' })
    .where('id', '=', shared.device.id)
    .execute()
  assert.equal((await proveAll(await arrive(all), [all.companion, shared.companion])).state, 'passed')
})

test('once IT has registered one of several, that one counts', async () => {
  const all = await setUp({ isRegistered: false })
  const vm = await addMachine(all, 'vm')
  const visit = await arrive(all)
  assert.equal((await proveAll(visit, [all.companion, vm.companion])).error?.code, 'several_devices')
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: vm.device.id, personId: all.person.id }, change()))
  assert.equal((await proveAll(visit, [all.companion, vm.companion])).state, 'passed')
  assert.deepEqual(
    (await devicesOfLogs()).map(({ device_id: id }) => id),
    [vm.device.id],
  )
})

test('an unknown person is told of no device, and a trial opens the application without one', async () => {
  const all = await setUp({ isRegistered: false })
  const other = await addMachine(all, 'the-vm')
  const stranger = await arrive(all, 'stranger@example.com')
  assert.equal((await proveAll(stranger, [all.companion, other.companion])).error?.code, 'several_devices')
  const { text } = await stranger.go(stranger.path)
  assert.match(text, /data-state="unknown_person"/)
  assert.doesNotMatch(text, /the-vm|ana-x1/)
  await stage.db.updateTable('signin_connections').set({ mode: 'observe' }).execute()
  const visit = await arrive(all)
  assert.equal((await proveAll(visit, [all.companion, other.companion])).error?.code, 'several_devices')
  const later = /data-finish-later="([^"]+)"/.exec((await visit.go(visit.path)).text)?.[1] ?? ''
  const { away } = await visit.follow(later.replaceAll('&#47;', '/'))
  assert.match(away ?? '', /code=/)
})
