import { sql } from 'kysely'
import type { Reader } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'

export type ConnectionFigures = { last_sign_in_at: string | null; signed_in_count: number; failed_count: number }

export const noFigures: ConnectionFigures = { last_sign_in_at: null, signed_in_count: 0, failed_count: 0 }

/** What came through each connection, by its identifier: within 30 days the last success, within 7 days how they ended. */
export async function readFigures(
  reader: Reader,
  organizationId: string,
  now: string,
): Promise<ReadonlyMap<string, ConnectionFigures>> {
  const week = sql`log.started_at > ${plusMs(now, -7 * dayMs)}::timestamptz`
  const rows = await reader
    .selectFrom('auth_logs as log')
    .leftJoin('auth_log_open_sessions as open', (join) =>
      join.onRef('open.organization_id', '=', 'log.organization_id').onRef('open.auth_log_id', '=', 'log.id'),
    )
    .select('log.connection_id')
    .select([
      sql<string | null>`max(log.started_at) filter (where log.result = 'Success')`.as('last_sign_in_at'),
      sql<number>`(count(*) filter (where log.result = 'Success' and ${week}))::int`.as('signed_in_count'),
      // One that is still open has not failed.
      sql<number>`(count(*) filter (where log.result = 'Fail' and open.auth_log_id is null and ${week}))::int`.as(
        'failed_count',
      ),
    ])
    .where('log.organization_id', '=', organizationId)
    .where('log.started_at', '>', plusMs(now, -30 * dayMs))
    .where('log.connection_id', 'is not', null)
    .groupBy('log.connection_id')
    .execute()
  return new Map(rows.map(({ connection_id: id, ...figures }) => [id ?? '', figures]))
}
