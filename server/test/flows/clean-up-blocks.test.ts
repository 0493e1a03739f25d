import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { runConsoleAccessRetention } from '../../src/access/sessions/run-console-access-retention.ts'
import { type Connection, connectPostgres } from '../../src/base/db/connect.ts'
import type { Db } from '../../src/base/db/transact.ts'
import { plusMs } from '../../src/base/time.ts'
import { dropOldResults } from '../../src/live-queries/drop-old-results.ts'
import { dropOldAuthLogs } from '../../src/sign-in/auth-logs/drop-old-auth-logs.ts'
import { dropOldEvents } from '../../src/signals/events/drop-old-events.ts'
import {
  runStreamRetention,
  runVerificationRetention,
} from '../../src/signals/streams/retention/run-stream-retention.ts'
import { runWebhookRetention } from '../../src/signals/webhooks/retention/run-webhook-retention.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { makeIn, startOfTests } from '../support/make.ts'

const database = testDatabase()
const make = makeIn(database)
const now = plusMs(startOfTests, 86_400_000)
const rows = 20_000
const receivers = 40

/** Every hundredth waits still, and nothing of it is old. */
async function fillLedgers(organizationId: string): Promise<void> {
  const streams: string[] = []
  const endpoints: string[] = []
  for (let made = 0; made < receivers; made += 1) {
    streams.push((await make.stream(organizationId)).id)
    endpoints.push((await make.webhookEndpoint(organizationId)).id)
  }
  const oneOf = (ids: readonly string[]) => sql`(${ids}::bigint[])[1 + number / 100 % ${sql.lit(receivers)}]`
  const device = await make.device(organizationId)
  const numbers = sql`generate_series(1, ${sql.lit(rows)}) as number`
  const at = sql`${startOfTests}::timestamptz + number * interval '1 second'`
  const settled = sql`case when number % 100 > 0 then ${at} end`
  await sql`
    insert into ssf_signals (organization_id, id, kind, device_id, event, txn, occurred_at)
    select ${organizationId}::bigint, number, 'compliance_change', ${device.id}::bigint, '{}', number, ${at} from ${numbers}
  `.execute(database.db)
  await sql`
    insert into ssf_stream_events (organization_id, stream_id, id, signal_id, sequence, device_id, kind, state, settled_at, queued_at)
    select ${organizationId}::bigint, ${oneOf(streams)}, number, number, number, ${device.id}::bigint, 'compliance_change',
      case when number % 100 > 0 then 'delivered' else 'pending' end, ${settled}, ${at} from ${numbers}
  `.execute(database.db)
  await sql`
    insert into webhook_messages (organization_id, id, message_id, event, body, occurred_at)
    select ${organizationId}::bigint, number, number, 'issues.new', '{}', ${at} from ${numbers}
  `.execute(database.db)
  await sql`
    insert into webhook_deliveries (organization_id, endpoint_id, id, message_id, event, state, settled_at, queued_at)
    select ${organizationId}::bigint, ${oneOf(endpoints)}, number, number, 'issues.new',
      case when number % 100 > 0 then 'delivered' else 'pending' end, ${settled}, ${at} from ${numbers}
  `.execute(database.db)
  await sql`
    insert into events (organization_id, id, type, data, cause, occurred_at)
    select ${organizationId}::bigint, number, 'issues.new', '{}', number, ${at} from ${numbers}
  `.execute(database.db)
  const log = await make.authLog(organizationId)
  await sql`
    insert into auth_logs select (jsonb_populate_record(log, jsonb_build_object('id', 1000 + number, 'started_at', ${at}))).*
    from auth_logs as log, ${numbers} where log.id = ${log.id}::bigint
  `.execute(database.db)
  // Also so that the database's own vacuum has no reason to begin, whose reading would be counted.
  await sql`vacuum analyze`.execute(database.db)
}

/** Of tables and indexes, by this session alone, wherever they were found. */
async function blocksOf(db: Db, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(db)
    const { rows: found } = await sql<{ blocks: string }>`
      select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)) as blocks
      from pg_statio_user_tables
    `.execute(db)
    return Number(found[0]?.blocks)
  }
  const before = await read()
  await work()
  return (await read()) - before
}

const cleanUps: [name: string, run: (db: Db) => Promise<unknown>][] = [
  ['streams', (db) => runStreamRetention(db, now)],
  ['verifications', (db) => runVerificationRetention(db, now)],
  ['webhooks', (db) => runWebhookRetention(db, now)],
  ['sign-in log', (db) => dropOldAuthLogs(db, now)],
  ['live results', (db) => dropOldResults(db, now)],
  ['events', (db) => dropOldEvents(db, plusMs(now, -30 * 86_400_000))],
  ['console access', (db) => runConsoleAccessRetention(db, now)],
]

testOnPostgres('a clean-up with nothing to drop reads a few blocks for each receiver', async () => {
  await database.ready
  await database.reset()
  await fillLedgers((await make.organization()).id)
  let connection: Connection | undefined
  try {
    connection = await connectPostgres({ url: database.url ?? '', maxConnections: 1 })
    const { db } = connection
    const whole = await blocksOf(db, () => db.selectFrom('auth_logs').select('person_name').execute())
    assert.ok(whole > 200, `reading a table of ${rows} rows counts as ${whole} blocks`)
    for (const [name, run] of cleanUps) {
      const blocks = await blocksOf(db, () => run(db))
      assert.ok(blocks < 60 + 6 * receivers, `${name}: ${blocks} blocks`)
    }
  } finally {
    await connection?.close()
  }
})
