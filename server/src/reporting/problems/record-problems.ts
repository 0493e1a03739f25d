import type { TableProblemType } from '@muster/contract/reporting-tables.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { listProblems } from './problem-queries.ts'

type Place = { organizationId: string; deviceId: string }

/** Why a device did not report a table of the catalogue, as `judgeProblem` says it. */
type TableProblem = { tableName: string; type: TableProblemType; message: string }

/**
 * Takes in why a device does not report tables; of several for one table the last counts. What is stored already is not
 * written again, and a problem keeps its `since` for as long as its type stays. A deleted device takes none.
 */
export async function recordProblems(
  db: Db,
  place: Place,
  problems: readonly TableProblem[],
  now: string,
): Promise<void> {
  const latest = [...new Map(problems.map((problem) => [problem.tableName, problem])).values()]
  if (latest.length === 0) return
  const stored = new Map(
    (await listProblems(db, place.organizationId, place.deviceId)).map((row) => [row.reporting_table, row]),
  )
  const news = latest.filter(({ tableName, type, message }) => {
    const row = stored.get(tableName)
    return row?.type !== type || row.message !== message
  })
  if (news.length > 0) await transact(db, (tx) => storeProblems(tx, place, news, now))
}

/** Under the lock of the device, as snapshots are stored: what comes last counts. */
async function storeProblems(tx: Tx, place: Place, problems: readonly TableProblem[], now: string): Promise<void> {
  const { organizationId, deviceId } = place
  if (!(await lockDevice(tx, organizationId, deviceId))) return
  await tx
    .insertInto('device_table_problems')
    .values(
      problems.map(({ tableName, type, message }) => ({
        ...{ organization_id: organizationId, device_id: deviceId, reporting_table: tableName },
        ...{ type, message, since: now },
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'device_id', 'reporting_table'])
        .doUpdateSet({
          type: sql`excluded.type`,
          message: sql`excluded.message`,
          since: sql`case when device_table_problems.type = excluded.type then device_table_problems.since else excluded.since end`,
        })
        .where(
          sql<boolean>`(device_table_problems.type, device_table_problems.message) is distinct from (excluded.type, excluded.message)`,
        ),
    )
    .execute()
}

/** Tables that a device has reported have no problem any more. */
export async function clearProblems(tx: Tx, place: Place, tableNames: readonly string[]): Promise<void> {
  if (tableNames.length === 0) return
  await tx
    .deleteFrom('device_table_problems')
    .where(inOrganization('device_table_problems', place.organizationId))
    .where('device_id', '=', place.deviceId)
    .where('reporting_table', '=', sql<string>`any(${tableNames}::text[])`)
    .execute()
}
