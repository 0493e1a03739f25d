import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('latest_acknowledged'))
const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`

test('an upgrade knows when a polled stream was acknowledged last', async () => {
  await old.ready
  const { db } = old
  await sql`insert into organizations (name, created_at) values ('Halden', ${at(0)})`.execute(db)
  for (const id of [1, 2]) {
    await sql`
      insert into ssf_streams (organization_id, stream_id, name, spec_version, delivery_type, events_requested, needs_no_poll_token, created_at, updated_at)
      values (1, ${randomUUID()}, 'Receiver', 'v1_0', 'poll', '{}', true, ${at(0)}, ${at(0)})`.execute(db)
    await sql`insert into ssf_stream_deliveries (organization_id, stream_id) values (1, ${id})`.execute(db)
  }
  await sql`insert into ssf_signals (organization_id, kind, event, txn, occurred_at)
    values (1, 'verification', '{}'::jsonb, 'T', ${at(0)})`.execute(db)
  const events = [
    ['acknowledged', 4],
    ['acknowledged', 7],
    ['rejected', 9],
    ['pending', null],
  ] as const
  for (const [state, minute] of events) {
    await sql`
      insert into ssf_stream_events (organization_id, stream_id, signal_id, kind, state, queued_at, settled_at)
      values (1, 1, 1, 'verification', ${state}, ${at(0)}, ${minute === null ? null : at(minute)})`.execute(db)
  }
  await migrate(old.connection)
  const heads = await db.selectFrom('ssf_stream_deliveries').select('last_delivered_at').orderBy('stream_id').execute()
  assert.deepEqual(heads, [{ last_delivered_at: at(7) }, { last_delivered_at: null }])
})
