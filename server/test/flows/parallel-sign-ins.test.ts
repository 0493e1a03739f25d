import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { type Member, manySignIns } from '../support/many-sign-ins.ts'
import { extent } from '../support/soak.ts'

const { stage, make, addCaller, addMember, signIn } = manySignIns()
const sessions = extent(40, 1_000)
/** Nobody comes so often at once that they are stopped. */
const members = Math.ceil(sessions / 2)

beforeEach(() => stage.reset())

test('sign-ins that run all at the same time each get in, and are announced once', async () => {
  const { organizationId } = stage.tenant
  await make.webhookEndpoint(organizationId, { events: ['auth_logs.success', 'auth_logs.failure'] })
  const caller = await addCaller()
  const people: Member[] = []
  for (let number = 0; number < members; number += 1) people.push(await addMember(`person-${number}`))
  const statuses = await Promise.all(
    [...people, ...people]
      .slice(0, sessions)
      .map((member, number) => signIn(caller, member, `10.0.${number >> 6}.${number & 63}`)),
  )
  assert.deepEqual(new Set(statuses), new Set([200]))
  const logs = await stage.db.selectFrom('auth_logs').select(['id', 'result', 'person_id', 'device_id']).execute()
  assert.equal(logs.length, sessions)
  assert.ok(logs.every(({ result }) => result === 'Success'))
  const devices = await stage.db.selectFrom('devices').select(['id', 'registered_owner_id']).execute()
  const ownerOf = new Map(devices.map(({ id, registered_owner_id: owner }) => [id, owner]))
  assert.ok(
    logs.every(({ person_id: person, device_id: device }) => ownerOf.get(device ?? '') === person),
    'no log has another one’s device',
  )
  const announced = await stage.db.selectFrom('events').select('data').where('type', '=', 'auth_logs.success').execute()
  assert.deepEqual(announced.map(({ data }) => String(data['authLogId'])).sort(), logs.map(({ id }) => id).sort())
  const deliveries = await stage.db.selectFrom('webhook_deliveries').select('message_id').execute()
  assert.equal(new Set(deliveries.map(({ message_id: id }) => id)).size, sessions)
  assert.deepEqual(await stage.db.selectFrom('auth_log_open_sessions').selectAll().execute(), [])
})
