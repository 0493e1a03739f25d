import { serveLoops } from './serve-loops.ts'

// The least that could store results: transactions of one statement of 50 rows on a table with the same columns and
// indexes.
const devices = Number(process.env['BENCH_DEVICES'])
const checks = 50

const statement = `
  insert into bare_results (organization_id, device_id, check_id, status, rows, rows_digest, query_revision, ran_at)
  select 1, $1::bigint, check_id, 'passing', rows, digest, 1, ran_at
  from unnest($2::bigint[], $3::jsonb[], $4::bytea[], $5::timestamptz[]) as result (check_id, rows, digest, ran_at)
  on conflict (organization_id, device_id, check_id) do update set status = excluded.status, rows = excluded.rows,
    rows_digest = excluded.rows_digest, query_revision = excluded.query_revision, ran_at = excluded.ran_at`

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

await serveLoops({ statement, rowsPerTurn: checks, nextValues })
