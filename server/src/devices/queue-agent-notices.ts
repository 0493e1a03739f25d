import { sql } from 'kysely'
import type { Tx } from '../db/transact.ts'

/** `queueAgentNotice` for many devices in one statement. */
export async function queueAgentNotices(
  tx: Tx,
  organizationId: string,
  deviceIds: readonly string[],
  now: string,
): Promise<void> {
  if (deviceIds.length === 0) return
  await sql`
    insert into agent_notices (organization_id, device_id, created_at)
    select ${organizationId}::bigint, device_id, ${now}::timestamptz
    from unnest(${deviceIds}::bigint[]) as told (device_id)
  `.execute(tx)
}
