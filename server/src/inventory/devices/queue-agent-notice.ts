import { sql } from 'kysely'
import { afterCommit, type Tx } from '../../base/db/transact.ts'
import { hintAgentNotice } from './agent-notice-hints.ts'

/**
 * Tells every server process that what it remembers of a device is out of date; null: of the whole organization.
 * This process knows at the commit, the others within half a second of it.
 */
export const queueAgentNotice = (tx: Tx, organizationId: string, deviceId: string | null, now: string): Promise<void> =>
  queueAgentNotices(tx, organizationId, [deviceId], now)

/** As `queueAgentNotice`, for many devices of one organization. */
export async function queueAgentNotices(
  tx: Tx,
  organizationId: string,
  deviceIds: readonly (string | null)[],
  now: string,
): Promise<void> {
  if (deviceIds.length === 0) return
  await sql`
    insert into agent_notices (organization_id, device_id, created_at)
    select ${organizationId}::bigint, device_id, ${now}::timestamptz from unnest(${deviceIds}::bigint[]) as device (device_id)
  `.execute(tx)
  afterCommit(tx, () => {
    for (const deviceId of deviceIds) hintAgentNotice(organizationId, deviceId)
  })
}
