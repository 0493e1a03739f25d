import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'

type Refresh = { organizationId: string; deviceId: string; checkId: string; now: string }

/**
 * Asks for a check to run at the device's next check-in, whichever process it reaches. Fails with not_found for a
 * device or check the organization does not have, and with check_not_refreshable where the check does not run on
 * the device by itself.
 */
export async function requestRefresh(tx: Tx, { organizationId, deviceId, checkId, now }: Refresh): Promise<void> {
  orNotFound(await findDevice(tx, organizationId, deviceId))
  const check = orNotFound(await findCheck(tx, organizationId, checkId, deviceId))
  if (check.type === 'external') {
    fail('check_not_refreshable', { message: 'Results of an external check are reported from outside.' })
  }
  if (check.paused_at !== null) fail('check_not_refreshable', { message: 'The check is paused.' })
  if (check.status === null) fail('check_not_refreshable')
  await tx
    .insertInto('check_refreshes')
    .values({ organization_id: organizationId, device_id: deviceId, check_id: checkId, requested_at: now })
    .onConflict((conflict) => conflict.constraint('check_refreshes_pkey').doUpdateSet({ requested_at: now }))
    .execute()
  await queueAgentNotice(tx, organizationId, deviceId, now)
}

const findDevice = (tx: Tx, organizationId: string, deviceId: string) =>
  tx
    .selectFrom('devices')
    .select('id')
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst()

const findCheck = (tx: Tx, organizationId: string, checkId: string, deviceId: string) =>
  tx
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .leftJoin('check_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'checks.organization_id')
        .onRef('result.check_id', '=', 'checks.id')
        .on('result.device_id', '=', deviceId),
    )
    .select(['checks.type', 'configuration.paused_at', 'result.status'])
    .where(inOrganization('checks', organizationId))
    .where('checks.id', '=', checkId)
    .where('checks.deletion_requested_at', 'is', null)
    .executeTakeFirst()
