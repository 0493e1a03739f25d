import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { deleteDevice } from '../../administration/registrations/delete-device.ts'
import { restoreDevice } from '../../administration/registrations/restore-device.ts'
import { systemChange } from '../../base/change-context.ts'
import { connectPostgres } from '../../base/db/connect.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { purgeAgentNotices } from '../../inventory/devices/purge-agent-notices.ts'
import { followNotices, noticeLifeMs } from './follow-notices.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const passing = { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }

/** As another process would: without the hint that a process gives itself. */
const addNotice = (tx: Pick<Tx, 'insertInto'>, organizationId: string, deviceId: string | null) =>
  tx
    .insertInto('agent_notices')
    .values({ organization_id: organizationId, device_id: deviceId, created_at: startOfTests })
    .execute()

/** The clock of the agents stands still, so only a notice can change what they are answered. */
const polledUntil = (work: () => Promise<boolean>) => until(60_000, work, 20)

test('a refresh that another process has made reaches the device at its next poll', async () => {
  const { id: organizationId } = await make.organization()
  const check = await make.check(organizationId)
  const { client, deviceId } = await agents.enrolled(organizationId)
  await client.answerAll(() => passing)
  assert.deepEqual((await client.read()).queries, {})
  const requested_at = agents.pass(1)
  await transact(database.db, async (tx) => {
    const refresh = { organization_id: organizationId, device_id: deviceId, check_id: check.id, requested_at }
    await tx.insertInto('check_refreshes').values(refresh).execute()
    await addNotice(tx, organizationId, deviceId)
  })
  await polledUntil(async () => Object.keys((await client.read()).queries).length === 1)
})

test('a device asked by one process answers another, and is not asked the same again by either', async () => {
  const { id: organizationId } = await make.organization()
  await make.check(organizationId)
  const { client: here, deviceId } = await agents.enrolled(organizationId)
  const elsewhere = await agents.another()
  const there = elsewhere.client()
  there.nodeKey = here.nodeKey
  const [name = ''] = Object.keys((await here.read()).queries)
  await there.write({ [name]: passing })
  await elsewhere.agents.flush()
  const { status } = await database.db
    .selectFrom('check_results')
    .select('status')
    .where('device_id', '=', deviceId)
    .executeTakeFirstOrThrow()
  assert.equal(status, 'passing')
  agents.pass(301)
  assert.deepEqual((await there.read()).queries, {})
  assert.deepEqual((await here.read()).queries, {})
})

test('an unchanged result that another process took is not asked again', async () => {
  const { id: organizationId } = await make.organization()
  await make.check(organizationId)
  const { client: here } = await agents.enrolled(organizationId)
  const elsewhere = await agents.another()
  const there = elsewhere.client()
  there.nodeKey = here.nodeKey
  await here.answerAll(() => passing)
  await there.read()
  agents.pass(2 * 3_600)
  assert.equal(await there.answerAll(() => passing), 1)
  await elsewhere.agents.flush()
  assert.deepEqual((await here.read()).queries, {})
})

test('a deleted device is refused at once, by other processes soon, and let in again when restored', async () => {
  const { id: organizationId } = await make.organization()
  const { client: here, deviceId } = await agents.enrolled(organizationId)
  const nodeKey = here.nodeKey
  const there = (await agents.another()).client()
  there.nodeKey = nodeKey
  assert.ok((await here.config()).accepted)
  assert.ok((await there.config()).accepted)
  const deletion = { deviceId }
  await transact(database.db, (tx) => deleteDevice(tx, deletion, systemChange(organizationId, contextAt().now)))
  const refused = await here.config()
  assert.deepEqual(JSON.parse(refused.text), { error: 'This node key is not valid', node_invalid: true })
  await polledUntil(async () => !(await there.config()).accepted)
  await transact(database.db, (tx) => restoreDevice(tx, deletion, systemChange(organizationId, contextAt().now)))
  here.nodeKey = nodeKey
  assert.ok((await here.config()).accepted)
})

test('a notice to the organization brings a new check to all its devices', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId)
  assert.deepEqual((await client.read()).queries, {})
  await make.check(organizationId, { sql_template: 'select 7' })
  assert.deepEqual((await client.read()).queries, {}, 'nobody has said so yet')
  await addNotice(database.db, organizationId, null)
  await polledUntil(async () => Object.values((await client.read()).queries)[0] === 'select 7')
})

test('a follower takes every notice once, also those that share a transaction', async () => {
  const { id: organizationId } = await make.organization()
  const [one, other] = [await make.device(organizationId), await make.device(organizationId)]
  const taken: [string, string | null][] = []
  const follower = followNotices(database.db, Date.now, {
    onNotice: (organization, device) => void taken.push([organization, device]),
    onGap: () => assert.fail('nothing was missed'),
  })
  await addNotice(database.db, organizationId, one.id)
  await follower.poll()
  assert.deepEqual(taken, [], 'what was before it began is none of its business')
  await transact(database.db, async (tx) => {
    await addNotice(tx, organizationId, other.id)
    await addNotice(tx, organizationId, null)
  })
  await follower.poll()
  await follower.poll()
  assert.deepEqual(taken, [
    [organizationId, other.id],
    [organizationId, null],
  ])
})

testOnPostgres('a notice that commits after a later one is not skipped', async () => {
  const { id: organizationId } = await make.organization()
  const [early, late] = [await make.device(organizationId), await make.device(organizationId)]
  const taken: (string | null)[] = []
  const follower = followNotices(database.db, Date.now, {
    onNotice: (_organization, device) => void taken.push(device),
    onGap: () => assert.fail('nothing was missed'),
  })
  await follower.poll()
  const written = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const slow = transact(database.db, async (tx) => {
    await addNotice(tx, organizationId, early.id)
    written.resolve()
    await mayCommit.promise
  })
  await written.promise
  await addNotice(database.db, organizationId, late.id)
  await follower.poll()
  assert.deepEqual(taken, [late.id])
  mayCommit.resolve()
  await slow
  await follower.poll()
  await follower.poll()
  assert.deepEqual(taken, [late.id, early.id])
})

test('a follower that could not poll for longer than notices are kept says that it has missed some', async () => {
  let nowMs = Date.parse(startOfTests)
  let isAway = false
  let gaps = 0
  const flaky = database.db.withPlugin({
    transformQuery: ({ node }) => {
      if (isAway) throw new Error('Connection terminated')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const follower = followNotices(flaky, () => nowMs, {
    onNotice: () => {},
    onGap: () => {
      gaps += 1
    },
  })
  await follower.poll()
  isAway = true
  nowMs += 60_000
  await assert.rejects(follower.poll())
  isAway = false
  await follower.poll()
  assert.equal(gaps, 0)
  nowMs += noticeLifeMs
  await follower.poll()
  assert.equal(gaps, 1)
})

test('old notices are removed', async () => {
  const { id: organizationId } = await make.organization()
  await addNotice(database.db, organizationId, null)
  await purgeAgentNotices(database.db, startOfTests)
  assert.equal((await database.db.selectFrom('agent_notices').select('id').execute()).length, 1)
  await purgeAgentNotices(database.db, '2026-11-20T10:00:00.001Z')
  assert.deepEqual(await database.db.selectFrom('agent_notices').select('id').execute(), [])
})

testOnPostgres('two processes over PostgreSQL share a fleet', async () => {
  const { id: organizationId } = await make.organization()
  for (let number = 1; number <= 5; number += 1) await make.check(organizationId, { sql_template: `select ${number}` })
  const connection = await connectPostgres({ url: database.url ?? '', maxConnections: 5 })
  const elsewhere = await agents.another(connection.db)
  try {
    const secret = await agents.enrollmentSecret(organizationId)
    const fleet = Array.from({ length: 20 }, (_, index) => ({
      here: agents.client(),
      there: elsewhere.client(),
      serial: `S${index}`,
    }))
    await Promise.all(fleet.map(({ here, serial }) => here.enroll(secret, { serial })))
    const asked = await Promise.all(
      fleet.map(async ({ here, there }) => {
        there.nodeKey = here.nodeKey
        const [one, other] = await Promise.all([here.answerAll(() => passing), there.answerAll(() => passing)])
        return one + other
      }),
    )
    assert.ok(asked.every((count) => count >= 5))
    const statuses = await database.db
      .selectFrom('check_results')
      .select((row) => ['status', row.fn.countAll<string>().as('count')])
      .groupBy('status')
      .execute()
    assert.deepEqual(statuses, [{ status: 'passing', count: '100' }])
  } finally {
    await elsewhere.close()
    await connection.close()
  }
})
