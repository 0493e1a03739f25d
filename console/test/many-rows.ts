import { connectEmbedded } from '../../server/src/base/db/connect.ts'
import { embeddedFolder } from '../../server/src/open-deployment.ts'

/** As many as a list of answers has of each. */
const rowsInFirst = 1_000

/** Answers the live query on the device with so many rows, and gives one check of it so many; the trial is stopped. */
export async function answerWithRows(dataDir: string, queryId: string, answered: number, checked: number) {
  const connection = await connectEmbedded({ dataDir: embeddedFolder(dataDir) })
  const rows = (count: number, columns: string, from = 1) =>
    `(select jsonb_agg(jsonb_build_object('pid', number::text, ${columns}))
      from generate_series(${from}, ${count}) as number)`
  const tools = `'path', '/usr/bin/tool-' || number`
  try {
    await connection.executeScript(`insert into live_query_results
        (organization_id, campaign_id, device_id, revision, row_count, rows, rows_in_parts)
      select organization_id, campaign_id, device_id, revision, ${answered},
        ${rows(rowsInFirst, tools)}, ${answered - rowsInFirst}
      from live_query_targets where campaign_id = ${queryId}`)
    await connection.executeScript(`insert into live_query_result_parts (organization_id, result_id, first_row, rows)
      select organization_id, id, ${rowsInFirst + 1}, ${rows(answered, tools, rowsInFirst + 1)}
      from live_query_results where campaign_id = ${queryId}`)
    await connection.executeScript(`update live_query_targets set status = 'successful' where campaign_id = ${queryId}`)
    await connection.executeScript(
      `update live_query_tallies set successful = waiting, waiting = 0 where campaign_id = ${queryId}`,
    )
    await connection.executeScript(`update check_results set rows = ${rows(checked, `'KOLIDE_CHECK_STATUS', 'FAIL'`)}
      where (device_id, check_id) = (select device_id, check_id from check_results where status = 'failing'
        order by device_id, check_id limit 1)`)
  } finally {
    await connection.close()
  }
}
