import { createServer } from 'node:http'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { connectEmbedded } from '../../src/db/connect.ts'
import { transact } from '../../src/db/transact.ts'
import { embeddedFolder } from '../../src/open-deployment.ts'
import { reportToBench } from '../trial/process-report.ts'

// The least that could store results: transactions of one statement of 50 rows on a table with the same columns and
// indexes, some loops at once. `GET /<milliseconds>/<loops>` runs them for so long and answers what they stored.
const devices = Number(process.env['BENCH_DEVICES'])
const checks = 50

const statement = `
  insert into bare_results (organization_id, device_id, check_id, status, rows, rows_digest, query_revision, ran_at)
  select 1, $1::bigint, check_id, 'passing', rows, digest, 1, ran_at
  from unnest($2::bigint[], $3::jsonb[], $4::bytea[], $5::timestamptz[]) as result (check_id, rows, digest, ran_at)
  on conflict (organization_id, device_id, check_id) do update set status = excluded.status, rows = excluded.rows,
    rows_digest = excluded.rows_digest, query_revision = excluded.query_revision, ran_at = excluded.ran_at`

type Store = { upsert(values: unknown[]): Promise<void>; close(): Promise<void> }

const checkIds = Array.from({ length: checks }, (_, index) => String(index + 1))
let turn = 0

/** Rows of the size that a small check reports, different each time. */
function nextValues(): unknown[] {
  turn += 1
  const row = JSON.stringify([{ KOLIDE_CHECK_STATUS: 'PASS', version: `1.${turn}`, path: '/usr/local/lib/example' }])
  const digest = Buffer.alloc(16, turn % 256)
  const ranAt = new Date().toISOString()
  return [
    String(1 + (turn % devices)),
    checkIds,
    checkIds.map(() => row),
    checkIds.map(() => digest),
    checkIds.map(() => ranAt),
  ]
}

async function openStore(): Promise<Store> {
  const url = process.env['DATABASE_URL']
  if (url === undefined) {
    const { db, close } = await connectEmbedded({ dataDir: embeddedFolder(process.env['MUSTER_DATA_DIR'] ?? '') })
    const upsert = async (values: unknown[]) =>
      transact(db, async (tx) => void (await tx.executeQuery(CompiledQuery.raw(statement, values))))
    return { upsert, close }
  }
  const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c jit=off' })
  return {
    async upsert(values) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query({ name: 'upsert', text: statement, values })
        await client.query('commit')
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}

const store = await openStore()

async function loop(endsAt: number): Promise<number> {
  let stored = 0
  for (; performance.now() < endsAt; stored += checks) await store.upsert(nextValues())
  return stored
}

const server = createServer((request, response) => {
  const [, durationMs = 0, loops = 1] = (request.url ?? '').split('/').map(Number)
  const startedAt = performance.now()
  void Promise.all(Array.from({ length: loops }, () => loop(startedAt + durationMs))).then((stored) => {
    const rows = stored.reduce((sum, one) => sum + one, 0)
    const body = JSON.stringify({ rows, seconds: (performance.now() - startedAt) / 1000 })
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  reportToBench(`http://127.0.0.1:${port}`, () => store.close())
})
