import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionMachines } from '../../../test/support/companion-machine.ts'
import { linkNameIn } from '../../../test/support/link-report.ts'
import { makeIn } from '../../../test/support/make.ts'
import { transact } from '../../base/db/transact.ts'
import { requestRefresh } from '../../compliance/results/request-refresh.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)
const { newCompanion, machineWithBoth, reportLink, linkedMachine } = companionMachines(agents)

beforeEach(() => agents.reset())

const requestCheck = (organizationId: string, deviceId: string, checkId: string) =>
  transact(database.db, (tx) => requestRefresh(tx, { organizationId, deviceId, checkId, now: agents.now() }))

test('a companion speaks for a device only after the osquery node of the device has reported its file', async () => {
  const { client, companion, enrolled } = await machineWithBoth()
  assert.equal(enrolled.status, 'linking')
  assert.equal(enrolled.origin, 'https://muster.example.com')
  assert.equal(enrolled.ports.length, 6)
  assert.equal(enrolled.challenge_keys.keys.length, 1)
  await reportLink(client, 'a-file-of-somebody-else')
  assert.equal((await companion.checkIn()).body.status, 'linking')
  agents.pass(20)
  await reportLink(client, enrolled.link?.name)
  const { body } = await companion.checkIn()
  assert.deepEqual([body.status, body.link], ['linked', null])
  agents.pass(60)
  assert.equal(linkNameIn((await client.read()).queries), undefined)
})

test('a key under the serial of a colleague is not linked, since the node of that machine never reports its file', async () => {
  const { deviceId } = await linkedMachine()
  const stranger = await newCompanion()
  const { id: organizationId } = await database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  await stranger.enroll(await agents.enrollmentSecret(organizationId))
  for (let contacts = 0; contacts < 3; contacts += 1) {
    assert.equal((await stranger.checkIn()).body.status, 'linking')
    agents.pass(20)
  }
  const keys = await database.db
    .selectFrom('companion_keys')
    .select(['status', 'device_id'])
    .orderBy('status')
    .execute()
  assert.deepEqual(keys, [
    { status: 'linked', device_id: deviceId },
    { status: 'linking', device_id: deviceId },
  ])
})

test('what somebody waits for is handed out, and its result is recorded at once and once', async () => {
  const both = await linkedMachine()
  const { check } = both
  const wanted = { organizationId: both.organizationId, deviceId: both.deviceId }
  agents.pass(60)
  const waiting = both.companion.checkIn({ wait_seconds: 25 })
  await requestCheck(wanted.organizationId, wanted.deviceId, check.id)
  const { queries } = (await waiting).body
  assert.deepEqual(
    queries.map(({ sql }) => sql),
    ['select 1 as number'],
  )
  assert.deepEqual((await both.companion.checkIn()).body.queries, [], 'handed out once')
  const name = queries[0]?.name ?? ''
  assert.equal((await both.companion.results([{ name, rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }])).status, 200)
  const status = () =>
    database.db.selectFrom('check_results').select('status').where('check_id', '=', check.id).execute()
  assert.deepEqual(await status(), [{ status: 'failing' }])
  assert.deepEqual(await database.db.selectFrom('check_refreshes').selectAll().execute(), [])
  await both.companion.results([{ name, rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }])
  await both.companion.results([{ name: `${name.slice(0, -1)}x`, rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }])
  assert.deepEqual(await status(), [{ status: 'failing' }])
})

test('a result that is older than the recorded one is dropped, and so is a name that another process has taken', async () => {
  const both = await linkedMachine()
  const { check, companion } = both
  const statusNow = async () =>
    (await database.db.selectFrom('check_results').select('status').where('check_id', '=', check.id).executeTakeFirst())
      ?.status
  const handedOut = async () => {
    agents.pass(60)
    await requestCheck(both.organizationId, both.deviceId, check.id)
    return (await companion.checkIn()).body.queries[0]?.name ?? ''
  }
  const earlier = await handedOut()
  const later = await handedOut()
  await companion.results([{ name: later, rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }])
  assert.equal(await statusNow(), 'passing')
  await companion.results([{ name: earlier, rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }])
  assert.equal(await statusNow(), 'passing')
  const elsewhere = await newCompanion(await agents.another(), companion.keys)
  assert.equal((await elsewhere.results([{ name: later, rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }])).status, 200)
  assert.equal(await statusNow(), 'passing')
})

test('a request wakes a companion that waits at another process', async () => {
  const both = await linkedMachine()
  const { check } = both
  agents.pass(60)
  const other = await agents.another()
  const companion = await newCompanion(other, both.companion.keys)
  companion.holdEpoch(both.companion.epoch())
  const waiting = companion.checkIn({ wait_seconds: 25 })
  await requestCheck(both.organizationId, both.deviceId, check.id)
  assert.equal((await waiting).body.queries.length, 1)
})

test('a companion whose answer was lost is not taken for two', async () => {
  const { companion } = await linkedMachine()
  for (let times = 0; times < 3; times += 1) {
    agents.pass(300)
    const epoch = companion.epoch()
    await companion.checkIn()
    companion.holdEpoch(epoch)
    agents.pass(300)
    assert.equal((await companion.checkIn()).body.link, null)
  }
  const key = await database.db.selectFrom('companion_keys').select('seen_twice_at').executeTakeFirstOrThrow()
  assert.equal(key.seen_twice_at, null)
})

test('a new key of a linked machine takes the place of the first, and a registration is in doubt then', async () => {
  const both = await linkedMachine()
  const person = await make.person(both.organizationId)
  await database.db
    .updateTable('devices')
    .set({ registered_owner_id: person.id, registered_at: agents.now() })
    .execute()
  const reinstalled = await newCompanion()
  const { body } = await reinstalled.enroll(both.secret)
  agents.pass(20)
  await reportLink(both.client, body.link?.name)
  assert.equal((await reinstalled.checkIn()).body.status, 'suspended')
  assert.equal((await both.companion.checkIn()).body.error?.code, 'unknown_key')
})

test('the ports that other programs hold, and the network, are kept as the companion was last heard', async () => {
  const { companion } = await linkedMachine()
  await companion.checkIn({ port: 19_267, taken_ports: [17_443, 15_861, 80, 'x'] })
  const keys = database.db.selectFrom('companion_keys').select(['port', 'taken_ports', 'network'])
  const key = await keys.executeTakeFirstOrThrow()
  assert.deepEqual(key, { port: 19_267, taken_ports: [15_861, 17_443], network: '127.0.0.1' })
})

test('the key of one organization does not enroll in another', async () => {
  const { companion } = await linkedMachine()
  const { id } = await make.organization()
  const { body } = await companion.enroll(await agents.enrollmentSecret(id))
  assert.equal(body.error?.code, 'key_in_use')
})
