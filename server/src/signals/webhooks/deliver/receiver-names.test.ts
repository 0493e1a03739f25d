import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../../test/support/database.ts'
import { inwardNames } from '../../../../test/support/inward-names.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import type { Zone } from '../../../../test/support/name-server.ts'
import { systemClock } from '../../../base/clock.ts'
import { transact } from '../../../base/db/transact.ts'
import { createLogger } from '../../../base/logging.ts'
import { openOutbound } from '../../../base/outbound/outbound.ts'
import { openSecrets } from '../../../base/secrets/secrets.ts'
import { queueWebhooks } from '../../webhook-ledger/queue-webhooks.ts'
import { generateSecret, sealSecret } from '../endpoint-secret.ts'
import { startDeliveries } from './start-deliveries.ts'

// What names of endpoints resolve to, from a name server to the log. The deliverers here may dial public addresses
// only, so any connection to this machine is a defect.

const names = await inwardNames()
const { nameServer, refused, resolve, inward, publicly, tricks } = names
const database = testDatabase()
const make = makeIn(database)
const secrets = openSecrets(randomBytes(32))
const deadlineMs = 4_000

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  names.reset()
})

async function delivering<Result>(work: () => Promise<Result>): Promise<Result> {
  const outbound = openOutbound({ allowPrivate: false, deadlineMs, resolve })
  const common = { secrets, clock: systemClock, log: createLogger('silent'), outbound }
  const deliveries = await startDeliveries({ connection: database.connection, ...common })
  try {
    return await work()
  } finally {
    await deliveries.stop()
    await outbound.close()
  }
}

/** An endpoint at a host of this name, about which the name server says this. */
async function endpointAt(name: string, zone?: Zone): Promise<string> {
  const { id } = await make.webhookEndpoint(organizationId, { url: names.urlOf(name, zone) })
  const sealed = sealSecret(secrets, generateSecret(), { organizationId, endpointId: id })
  await database.db.updateTable('webhook_endpoints').set({ sealed_secret: sealed }).where('id', '=', id).execute()
  return id
}

const queue = (): Promise<void> =>
  transact(database.db, (tx) => {
    const data = { device_id: 7, device_name: 'Mac', device_status: 'good' as const, device_url: 'https://x.test/7' }
    const at = systemClock()
    return queueWebhooks(tx, organizationId, [
      { event: 'device_trust.status_changed', data, deviceId: '7', orderedBy: '7', cause: 'test', at },
    ])
  })

const attemptsOf = (endpointId: string) =>
  database.db
    .selectFrom('webhook_attempt_log')
    .select(['status', 'error'])
    .where('endpoint_id', '=', endpointId)
    .orderBy('id')
    .execute()

const outcomes = () =>
  database.db.selectFrom('webhook_deliveries').select(['state', 'last_status', 'last_error']).distinct().execute()

const refusal = 'The host could not be looked up, or has no public address'

test('every inward address is refused as an answer: at a first sending, and when it is repeated', {
  timeout: 200_000,
}, async (t) => {
  assert.ok(refused.length > 200)
  for (const [index, address] of refused.entries()) await endpointAt(`r${index}`, { addresses: [address] })
  await queue()
  assert.deepEqual(nameServer.asked, [], 'nothing is asked before it is delivered')
  await delivering(async () => {
    const repeated = async () => {
      const { count } = await database.db
        .selectFrom('webhook_deliveries')
        .select((query) => query.fn.countAll<string>().as('count'))
        .where('attempts', '>=', 2)
        .executeTakeFirstOrThrow()
      return Number(count) === refused.length
    }
    const tookMs = await until(90_000, repeated, 250)
    t.diagnostic(`${refused.length} addresses refused twice in ${Math.round(tookMs / 1_000)} s`)
  })
  const attempts = await database.db.selectFrom('webhook_attempt_log').select(['status', 'error']).distinct().execute()
  assert.deepEqual(attempts, [{ status: null, error: refusal }])
  assert.deepEqual(await outcomes(), [{ state: 'pending', last_status: null, last_error: refusal }])
  assert.equal(names.connections(), 0)
})

test('a name that resolves to anything else than public addresses is not dialled, and its webhooks are kept', async () => {
  const ids: string[] = []
  for (const [index, [, zone]] of tricks.entries()) ids.push(await endpointAt(`trick${index}`, zone))
  names.addAlias()
  await queue()
  await delivering(() =>
    until(30_000, async () => (await Promise.all(ids.map(attemptsOf))).every(({ length }) => length >= 2), 200),
  )
  for (const [index, [title, , expected]] of tricks.entries()) {
    const seen = (await attemptsOf(ids[index] ?? '')).map(({ status, error }) => `${status} ${error}`)
    assert.deepEqual([...new Set(seen)], [expected], title)
  }
  const states = await database.db.selectFrom('webhook_deliveries').select('state').distinct().execute()
  assert.deepEqual(states, [{ state: 'pending' }])
  assert.equal(names.connections(), 0)
})

test('a name that becomes an inward one later is refused then, also between two attempts', async () => {
  const id = await endpointAt('rebound', { addresses: [publicly(1)], ttl: 0 })
  await queue()
  const attempted = (count: number) => until(20_000, async () => (await attemptsOf(id)).length >= count, 50)
  await delivering(async () => {
    // Nobody answers there as this receiver, whether the network is there or not.
    await attempted(1)
    nameServer.zones.set('rebound.receivers.example', { addresses: [inward], ttl: 0 })
    await attempted(3)
  })
  const errors = (await attemptsOf(id)).map(({ error }) => error)
  assert.deepEqual([errors.at(-1), names.connections()], [refusal, 0])
  assert.notEqual(errors[0], refusal)
  assert.ok(nameServer.asked.length >= 2 * errors.length, 'it is resolved again for each attempt')
})
