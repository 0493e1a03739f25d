import { softwareCount, softwareRows } from '../load/software-rows.ts'
import { serveLoops } from './serve-loops.ts'

// The least that could store a first snapshot: transactions of one insert of its rows, on a table with the same columns
// and indexes, but without what they refer to.
const statement = `
  insert into bare_snapshot_rows (organization_id, reporting_table, device_id, content)
  select 1, 'device_software', $1::bigint, content from unnest($2::jsonb[]) as row (content)`

let turn = 0

function nextValues(): unknown[] {
  turn += 1
  return [String(turn), softwareRows(String(turn), '1').map((row) => JSON.stringify(row))]
}

await serveLoops({ statement, rowsPerTurn: softwareCount, nextValues })
