import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { OsqueryPlatform } from '@muster/contract/osquery-schema.ts'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { describeDevice } from '../../inventory/devices/describe-device.ts'
import { inventoryQueries } from '../../reporting/catalogue/catalogue.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const mac = {
  hostname: 'adas-mac.local',
  platformType: '21',
  osVersion: { name: 'macOS', version: '14.1.2', platform: 'darwin' },
  system: { computer_name: "Ada's Mac", hardware_model: 'Mac14,2' },
}

const organization = async () => (await make.organization({ disabled_features: [] })).id
const unixTime = () => Math.floor(Date.parse(agents.now()) / 1000)

const line = (table: string, row: Record<string, string>, at = unixTime(), platform: OsqueryPlatform = 'darwin') => ({
  name: `report/${table}/${inventoryQueries[platform].get(table)?.version}`,
  unixTime: at,
  action: 'snapshot',
  snapshot: [row],
})

const factsOf = (deviceId: string) =>
  database.db
    .selectFrom('devices')
    .select(['name', 'operating_system', 'agent_version', 'hardware_model'])
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()

const updates = async () => {
  const rows = await database.db
    .selectFrom('events')
    .select(['device_id', 'data'])
    .where('type', '=', 'devices.updated')
    .orderBy('id')
    .execute()
  return rows.map(({ data }) => (data as { changes: unknown }).changes)
}

const upgraded = () => [
  line('device_os_version', { name: 'macOS', version: '15.3.1', platform: 'darwin' }),
  line('device_osquery_info', { version: '5.16.0' }),
  line('device_system_info', {
    computer_name: "Ada's new name",
    hostname: 'adas-mac.local',
    hardware_model: 'Mac15,1',
  }),
]

test('what is known of a device follows its reports, with one event for all that changed', async () => {
  const { client, deviceId } = await agents.enrolled(await organization(), mac)
  assert.deepEqual(await factsOf(deviceId), {
    name: "Ada's Mac",
    operating_system: 'macOS 14.1.2',
    agent_version: '5.23.1',
    hardware_model: 'Mac14,2',
  })
  await client.log('result', upgraded())
  assert.deepEqual(await factsOf(deviceId), {
    name: "Ada's new name",
    operating_system: 'macOS 15.3.1',
    agent_version: '5.16.0',
    hardware_model: 'Mac15,1',
  })
  assert.deepEqual(await updates(), [
    [
      { field: 'name', from: "Ada's Mac", to: "Ada's new name" },
      { field: 'operating_system', from: 'macOS 14.1.2', to: 'macOS 15.3.1' },
      { field: 'hardware_model', from: 'Mac14,2', to: 'Mac15,1' },
      { field: 'agent_version', from: '5.23.1', to: '5.16.0' },
    ],
  ])
})

test('a report that says nothing new writes nothing', async () => {
  const { client } = await agents.enrolled(await organization(), mac)
  await client.log('result', upgraded())
  await agents.server.agents.flush()
  const before = await rowVersions(database.db)
  agents.pass(3_600)
  assert.equal((await client.log('result', upgraded())).text, '{}')
  assert.deepEqual(await rowVersions(database.db), before)
})

test('what is stored of reports already is followed as well', async () => {
  const { client, deviceId } = await agents.enrolled(await organization(), mac)
  await client.log('result', upgraded())
  await database.db
    .updateTable('devices')
    .set({ operating_system: 'macOS 14.1.2' })
    .where('id', '=', deviceId)
    .execute()
  agents.pass(3_600)
  await client.log('result', upgraded())
  assert.equal((await factsOf(deviceId)).operating_system, 'macOS 15.3.1')
})

test('the first round, which comes as a distributed write, is followed', async () => {
  const { client, deviceId } = await agents.enrolled(await organization(), mac)
  const { name, snapshot } = line('device_os_version', { name: 'macOS', version: '14.2', platform: 'darwin' })
  await client.write({ [name]: { rows: snapshot } })
  assert.equal((await factsOf(deviceId)).operating_system, 'macOS 14.2')
})

test('a name that an administrator gave stays', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId, mac)
  const rename = { deviceId, name: 'Reception' }
  await transact(database.db, (tx) => describeDevice(tx, rename, systemChange(organizationId, agents.now())))
  await client.log('result', upgraded())
  assert.deepEqual(Object.values(await factsOf(deviceId)).slice(0, 2), ['Reception', 'macOS 15.3.1'])
  assert.deepEqual(
    (await updates()).map((changes) => (changes as { field: string }[]).map(({ field }) => field)),
    [['operating_system', 'hardware_model', 'agent_version']],
  )
})

test('a report without values and placeholders change nothing', async () => {
  const { client, deviceId } = await agents.enrolled(await organization(), mac)
  await client.log('result', upgraded())
  const known = await factsOf(deviceId)
  agents.pass(3_600)
  await client.log('result', [
    line('device_os_version', { name: '', version: '', platform: 'darwin' }),
    line('device_osquery_info', { version: '' }),
    line('device_system_info', { computer_name: '', hostname: '', hardware_model: 'To Be Filled By O.E.M.' }),
  ])
  assert.deepEqual(await factsOf(deviceId), known)
})

test('a report counts where the clock of the device has stepped back, too', async () => {
  const { client, deviceId } = await agents.enrolled(await organization(), mac)
  await client.log('result', upgraded())
  agents.pass(3_600)
  const row = { name: 'macOS', version: '15.9' }
  await client.log('result', [line('device_os_version', row, unixTime() - 7_200)])
  assert.equal((await factsOf(deviceId)).operating_system, 'macOS 15.9')
})

test('a machine that enrolls again tells what changed in the same way', async () => {
  const organizationId = await organization()
  const { deviceId } = await agents.enrolled(organizationId, mac)
  agents.pass(86_400)
  const osVersion = { ...mac.osVersion, version: '15.0' }
  await agents.client().enroll(await agents.enrollmentSecret(organizationId), { ...mac, osVersion })
  assert.equal((await factsOf(deviceId)).operating_system, 'macOS 15.0')
  assert.deepEqual(await updates(), [[{ field: 'operating_system', from: 'macOS 14.1.2', to: 'macOS 15.0' }]])
})
