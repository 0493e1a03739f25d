import { sql } from 'kysely'
import type { Db } from '../../src/base/db/transact.ts'

/** Whatever a result, a sweep or a command may write. */
const written = [
  'admin_users',
  'agent_notices',
  'audit_logs',
  'auth_log_events',
  'auth_log_issues',
  'auth_log_open_sessions',
  'auth_logs',
  'check_configurations',
  'check_recomputations',
  'check_results',
  'check_tallies',
  'device_snapshot_rows',
  'device_snapshots',
  'device_table_problems',
  'devices',
  'events',
  'exemption_request_issues',
  'exemption_requests',
  'issues',
  'live_query_campaigns',
  'live_query_result_parts',
  'live_query_results',
  'live_query_tallies',
  'live_query_targets',
  'people',
  'registration_requests',
  'person_group_members',
  'person_groups',
  'scim_groups',
  'scim_users',
  'ssf_signals',
  'ssf_stream_events',
  'ssf_streams',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_endpoints',
  'webhook_messages',
]

/** Which version of every row is current: two that are equal had no write between them, not even an equal one. */
export async function rowVersions(db: Db): Promise<Record<string, string[]>> {
  const versions: Record<string, string[]> = {}
  for (const table of written) {
    const { rows } = await sql<{ version: string }>`
      select concat_ws(' ', ctid, xmin) as version from ${sql.table(table)} order by 1`.execute(db)
    versions[table] = rows.map((row) => row.version)
  }
  return versions
}
