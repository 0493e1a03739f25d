import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../../test/support/make.ts'
import { rowVersions } from '../../../../test/support/row-versions.ts'
import { webhookRowsIn } from '../../../../test/support/webhook-rows.ts'
import { transact } from '../../../base/db/transact.ts'
import { plusMs } from '../../../base/time.ts'
import { dropOldDeliveries } from '../../webhook-ledger/retention/drop-deliveries.ts'
import { failStaleDeliveries } from '../../webhook-ledger/retention/fail-stale-deliveries.ts'
import { runWebhookRetention } from './run-webhook-retention.ts'

const database = testDatabase()
const make = makeIn(database)
const rows = webhookRowsIn(database)
const hour = (count: number) => plusMs(startOfTests, count * 3_600_000)
const day = (count: number) => hour(24 * count)
let organizationId: string

beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const idsOf = async (table: 'webhook_deliveries' | 'webhook_messages' | 'webhook_attempts' | 'webhook_endpoints') =>
  (await database.db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id)

const states = async () =>
  (await database.db.selectFrom('webhook_deliveries').select('state').orderBy('id').execute()).map(({ state }) => state)

/** Many deliveries in one statement, each of a message of its own. */
const fill = (endpointId: string, count: number, queuedAt: string, state: 'pending' | 'delivered') =>
  sql`
    with message as (
      insert into webhook_messages (organization_id, message_id, event, body, occurred_at)
      select ${organizationId}::bigint, gen_random_uuid()::text, 'issues.new', '{}', ${queuedAt}::timestamptz
      from generate_series(1, ${count}::integer)
      returning id
    )
    insert into webhook_deliveries (organization_id, endpoint_id, message_id, event, state, queued_at, settled_at)
    select ${organizationId}::bigint, ${endpointId}::bigint, id, 'issues.new', ${state}, ${queuedAt}::timestamptz,
      case when ${state}::text = 'delivered' then ${queuedAt}::timestamptz end
    from message
  `.execute(database.db)

test('what has waited for 30 days has failed, and nothing earlier, whether its endpoint is enabled or not', async () => {
  const endpoint = await make.webhookEndpoint(organizationId)
  const disabled = await make.webhookEndpoint(organizationId, { disabled_at: day(0), disabled_reason: 'by_admin' })
  for (const count of [0, 1, 2]) await rows.delivery(endpoint, { queued_at: day(count), last_error: 'It was slow' })
  await rows.delivery(disabled, { queued_at: day(0) })
  await runWebhookRetention(database.db, day(30))
  assert.deepEqual(await states(), Array(4).fill('pending'))
  const now = plusMs(day(31), 1)
  await runWebhookRetention(database.db, now)
  const failed = { state: 'failed', settled_at: now, next_attempt_at: null, last_error: 'It waited for 30 days' }
  assert.deepEqual(
    await database.db
      .selectFrom('webhook_deliveries')
      .select(['state', 'settled_at', 'next_attempt_at', 'last_error'])
      .orderBy('id')
      .execute(),
    [
      failed,
      failed,
      { state: 'pending', settled_at: null, next_attempt_at: day(2), last_error: 'It was slow' },
      failed,
    ],
  )
  const before = await rowVersions(database.db)
  await runWebhookRetention(database.db, now)
  assert.deepEqual(await rowVersions(database.db), before)
})

test('more than one batch fails in one run, of several endpoints', async () => {
  const endpoints = [await make.webhookEndpoint(organizationId), await make.webhookEndpoint(organizationId)]
  for (const { id } of endpoints) await fill(id, 2_100, day(0), 'pending')
  assert.equal(await failStaleDeliveries(database.db, day(1), 'It waited', day(31)), 4_200)
  assert.equal(await failStaleDeliveries(database.db, day(1), 'It waited', day(31)), 0)
})

test('deliveries are removed 180 days after they were settled, with their attempts and messages', async () => {
  const endpoint = await make.webhookEndpoint(organizationId)
  const old = await rows.delivery(endpoint, { state: 'delivered', queued_at: day(0) })
  const late = await rows.delivery(endpoint, { state: 'failed', queued_at: day(0), settled_at: day(2) })
  const young = await rows.delivery(endpoint, { state: 'delivered', queued_at: day(1) })
  for (const delivery of [old, old, late, young]) await rows.attempt(delivery)
  await runWebhookRetention(database.db, day(180))
  assert.deepEqual(await idsOf('webhook_deliveries'), [old.id, late.id, young.id])
  await runWebhookRetention(database.db, plusMs(day(180), 1))
  assert.deepEqual(await idsOf('webhook_deliveries'), [late.id, young.id])
  assert.deepEqual(await idsOf('webhook_messages'), [late.message_id, young.message_id])
  assert.equal((await idsOf('webhook_attempts')).length, 2)
  const before = await rowVersions(database.db)
  await runWebhookRetention(database.db, plusMs(day(180), 1))
  assert.deepEqual(await rowVersions(database.db), before)
  await runWebhookRetention(database.db, plusMs(day(182), 1))
  assert.deepEqual([await idsOf('webhook_deliveries'), await idsOf('webhook_messages')], [[], []])
  assert.deepEqual([await idsOf('webhook_attempts'), await idsOf('webhook_endpoints')], [[], [endpoint.id]])
})

test('a message stays for as long as a delivery of any endpoint refers to it', async () => {
  const [first, second] = [await make.webhookEndpoint(organizationId), await make.webhookEndpoint(organizationId)]
  const { message_id } = await rows.delivery(first, { state: 'delivered', queued_at: day(0) })
  const repeat = await rows.delivery(second, { message_id, state: 'delivered', queued_at: day(100) })
  const stranger = await make.organization()
  const foreign = await rows.delivery(await make.webhookEndpoint(stranger.id), { queued_at: day(180) })
  await runWebhookRetention(database.db, day(181))
  assert.deepEqual(await idsOf('webhook_deliveries'), [repeat.id, foreign.id])
  assert.deepEqual(await idsOf('webhook_messages'), [message_id, foreign.message_id])
})

test('more than one batch is removed in one run', async () => {
  const endpoint = await make.webhookEndpoint(organizationId)
  await fill(endpoint.id, 2_100, day(0), 'delivered')
  assert.equal(await dropOldDeliveries(database.db, day(181)), 2_100)
  assert.deepEqual([await idsOf('webhook_deliveries'), await idsOf('webhook_messages')], [[], []])
})

test('a deleted endpoint goes after an hour with all its rows, and no other', async () => {
  const [gone, stays] = [await make.webhookEndpoint(organizationId), await make.webhookEndpoint(organizationId)]
  const shared = await rows.delivery(gone, { state: 'delivered', queued_at: day(1) })
  const kept = await rows.delivery(stays, { message_id: shared.message_id, state: 'delivered', queued_at: day(1) })
  await rows.attempt(await rows.delivery(gone, { queued_at: day(1) }))
  await fill(gone.id, 2_100, day(1), 'pending')
  await database.db
    .updateTable('webhook_endpoints')
    .set({ deleted_at: day(1) })
    .where('id', '=', gone.id)
    .execute()
  await runWebhookRetention(database.db, plusMs(day(1), 3_600_000))
  assert.equal((await idsOf('webhook_deliveries')).length, 2_103)
  await runWebhookRetention(database.db, plusMs(day(1), 3_600_001))
  assert.deepEqual(await idsOf('webhook_endpoints'), [stays.id])
  assert.deepEqual(await idsOf('webhook_deliveries'), [kept.id])
  assert.deepEqual([await idsOf('webhook_messages'), await idsOf('webhook_attempts')], [[shared.message_id], []])
  const standings = await database.db.selectFrom('webhook_standings').select('endpoint_id').execute()
  assert.deepEqual(standings, [{ endpoint_id: stays.id }])
})

testOnPostgres('rows that another process holds are left for the next run', async () => {
  const endpoint = await make.webhookEndpoint(organizationId)
  const [held] = [
    await rows.delivery(endpoint, { state: 'delivered', queued_at: day(0) }),
    await rows.delivery(endpoint, { state: 'delivered', queued_at: day(0) }),
  ]
  const isHeld = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const holder = transact(database.db, async (tx) => {
    await tx.selectFrom('webhook_deliveries').select('id').where('id', '=', held.id).forKeyShare().execute()
    isHeld.resolve()
    await mayEnd.promise
  })
  await isHeld.promise
  assert.equal(await dropOldDeliveries(database.db, day(181)), 1)
  assert.deepEqual(await idsOf('webhook_messages'), [held.message_id])
  mayEnd.resolve()
  await holder
  assert.equal(await dropOldDeliveries(database.db, day(181)), 1)
})

testOnPostgres('of two that remove the last deliveries of a message, the second removes it', async () => {
  const endpoints = [await make.webhookEndpoint(organizationId), await make.webhookEndpoint(organizationId)]
  const { id: messageId } = await rows.message(organizationId)
  for (const endpoint of endpoints) {
    for (let index = 0; index < 20; index += 1) {
      const own = index === 0 ? { message_id: messageId } : {}
      await rows.delivery(endpoint, { ...own, state: 'delivered', queued_at: day(0) })
    }
  }
  const dropped = await Promise.all([1, 2, 3].map(() => dropOldDeliveries(database.db, day(181))))
  assert.equal(
    dropped.reduce((sum, count) => sum + count, 0),
    40,
  )
  assert.deepEqual(await idsOf('webhook_messages'), [])
})

test('a secret that signs no more is forgotten, and one that does stays', async () => {
  const previous = { sealed_previous_secret: Buffer.from('sealed') }
  await make.webhookEndpoint(organizationId, { ...previous, previous_secret_until: hour(1) })
  await make.webhookEndpoint(organizationId, { ...previous, previous_secret_until: plusMs(hour(1), 1) })
  await runWebhookRetention(database.db, hour(1))
  const left = await database.db
    .selectFrom('webhook_endpoints')
    .select(['sealed_previous_secret', 'previous_secret_until'])
    .orderBy('id')
    .execute()
  assert.deepEqual(
    left.map((row) => [row.sealed_previous_secret?.toString() ?? null, row.previous_secret_until]),
    [
      [null, null],
      ['sealed', plusMs(hour(1), 1)],
    ],
  )
})

test('a log is kept for as long as its organization chose', async () => {
  const other = (await make.organization()).id
  const settings = { organization_id: organizationId, settled_deliveries_days: 7, updated_at: day(0) }
  await database.db.insertInto('organization_settings').values(settings).execute()
  const [own, foreign] = [await make.webhookEndpoint(organizationId), await make.webhookEndpoint(other)]
  const kept = await rows.delivery(foreign, { state: 'delivered', queued_at: day(0) })
  const waits = await rows.delivery(own, { queued_at: day(0) })
  const old = await rows.delivery(own, { state: 'delivered', queued_at: day(0) })
  await runWebhookRetention(database.db, day(7))
  assert.deepEqual(await idsOf('webhook_deliveries'), [kept.id, waits.id, old.id])
  await runWebhookRetention(database.db, plusMs(day(7), 1))
  assert.deepEqual(await idsOf('webhook_deliveries'), [kept.id, waits.id])
})
