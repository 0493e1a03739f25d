import type { Tx } from '../db/transact.ts'

/**
 * Tells every server process that what it remembers of a device is out of date; null: of the whole organization.
 * They see it within half a second of the commit.
 */
export async function queueAgentNotice(
  tx: Tx,
  organizationId: string,
  deviceId: string | null,
  now: string,
): Promise<void> {
  await tx
    .insertInto('agent_notices')
    .values({ organization_id: organizationId, device_id: deviceId, created_at: now })
    .execute()
}
