import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'

type Recheck = { organizationId: string; deviceId: string; checkId: string; at: string }

/** Moves on when the open issues of these checks and devices, of any organizations, were last confirmed. */
export async function noteRechecks(tx: Tx, rechecks: readonly Recheck[]): Promise<void> {
  if (rechecks.length === 0) return
  await sql`
    update issues set last_rechecked_at = recheck.at
    from unnest(
      ${rechecks.map(({ organizationId }) => organizationId)}::bigint[],
      ${rechecks.map(({ deviceId }) => deviceId)}::bigint[],
      ${rechecks.map(({ checkId }) => checkId)}::bigint[], ${rechecks.map(({ at }) => at)}::timestamptz[]
    ) as recheck (organization_id, device_id, check_id, at)
    where issues.organization_id = recheck.organization_id and issues.device_id = recheck.device_id
      and issues.check_id = recheck.check_id and issues.resolved_at is null and issues.last_rechecked_at < recheck.at
  `.execute(tx)
}
