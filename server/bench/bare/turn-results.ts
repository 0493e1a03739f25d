import { serveLoops } from './serve-loops.ts'

// The least that could store results of which each opens an issue or ends one, and announce it: transactions of one
// statement that writes 50 rows of each of three tables, with the same columns and indexes as the product's. Turns open
// the issues of a device and end those of one opened a while ago, in turn.
const devices = Number(process.env['BENCH_DEVICES'])
const checks = 50
/** More than there are loops, so that what is ended has been committed. */
const turnsOpen = 32

const statement = `
  with stored as (
    insert into bare_results (organization_id, device_id, check_id, status, rows, rows_digest, query_revision, ran_at)
    select 1, $1::bigint, check_id, case when $4 then 'failing' else 'passing' end, row, $5::bytea, 1, now()
    from unnest($2::bigint[], $3::jsonb[]) as result (check_id, row)
    on conflict (organization_id, device_id, check_id) do update set status = excluded.status, rows = excluded.rows,
      rows_digest = excluded.rows_digest, query_revision = excluded.query_revision, ran_at = excluded.ran_at
  ), opened as (
    insert into bare_issues (organization_id, device_id, check_id, title, value, detected_at, last_rechecked_at)
    select 1, $1::bigint, check_id, 'Bench check fails', row->0, now(), now()
    from unnest($2::bigint[], $3::jsonb[]) as result (check_id, row) where $4
    on conflict do nothing
  ), ended as (
    update bare_issues set resolved_at = now(), last_rechecked_at = now()
    where organization_id = 1 and device_id = $1::bigint and resolved_at is null and not $4
  )
  insert into bare_events (organization_id, type, device_id, cause, data, occurred_at)
  select 1, case when $4 then 'issues.new' else 'issues.resolved' end, $1::bigint, 'a-cause-of-26-characters--',
    jsonb_build_object('issueId', check_id::text, 'checkId', check_id::text, 'title', 'Bench check fails'), now()
  from unnest($2::bigint[]) as result (check_id)`

const checkIds = Array.from({ length: checks }, (_, index) => String(index + 1))
let turn = 0

function nextValues(): unknown[] {
  turn += 1
  const isOpening = turn % 2 === 0
  const of = Math.floor(turn / 2) - (isOpening ? 0 : turnsOpen)
  const row = JSON.stringify([{ KOLIDE_CHECK_STATUS: 'FAIL', version: `1.${turn}`, path: '/usr/local/lib/example' }])
  return [
    String(1 + (Math.max(0, of) % devices)),
    checkIds,
    checkIds.map(() => row),
    isOpening,
    Buffer.alloc(16, turn % 256),
  ]
}

await serveLoops({ statement, rowsPerTurn: checks, nextValues })
