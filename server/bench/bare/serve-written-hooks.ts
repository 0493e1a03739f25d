import pg from 'pg'
import { Client } from 'undici'
import { sendHook } from './send-hook.ts'
import { serveTurns } from './serve-turns.ts'

// The least that could deliver webhooks and say so afterwards: as serve-hooks.ts, and for each one row is written in
// batches into a table with the columns and the indexes of the log. `GET /<milliseconds>/<loops>` answers how many
// were taken.
const rowsAtOnce = 128
const receiver = process.env['BENCH_RECEIVER'] ?? ''
const database = new pg.Client({ connectionString: process.env['BENCH_DATABASE'] ?? '' })
await database.connect()

let unwritten: { id: number; queuedAt: string }[] = []
let writing = Promise.resolve()
let made = 0

async function write(rows: typeof unwritten): Promise<void> {
  await database.query({
    name: 'write',
    text: `insert into bench_hooks (organization_id, endpoint_id, id, message_id, event, device_id, ordered_by, state,
        attempts, queued_at, settled_at, last_status)
      select 1, 1, id, id, 'device_trust.status_changed', id % 5000, id % 5000, 'delivered', 1, at, at, 202
      from unnest($1::bigint[], $2::timestamptz[]) as made (id, at)`,
    values: [rows.map(({ id }) => id), rows.map(({ queuedAt }) => queuedAt)],
  })
}

async function deliver(client: Client): Promise<void> {
  await sendHook(client)
  made += 1
  unwritten.push({ id: made, queuedAt: new Date().toISOString() })
  if (unwritten.length < rowsAtOnce) return
  const rows = unwritten
  unwritten = []
  writing = writing.then(() => write(rows))
  await writing
}

serveTurns(deliver, () => new Client(receiver, { pipelining: 1 }))
