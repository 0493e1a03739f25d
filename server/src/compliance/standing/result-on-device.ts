import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'

export type CheckOnDevice = { organizationId: string; deviceId: string; checkId: string }

/** What a check says of a locked device, and how it is configured. Fails with not_found where it does not target it. */
export async function getResultOnDevice(tx: Tx, { organizationId, deviceId, checkId }: CheckOnDevice) {
  const result = await tx
    .selectFrom('check_results')
    .innerJoin('checks', (join) =>
      join
        .onRef('checks.organization_id', '=', 'check_results.organization_id')
        .onRef('checks.id', '=', 'check_results.check_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'check_results.organization_id')
        .onRef('configuration.check_id', '=', 'check_results.check_id'),
    )
    .selectAll('check_results')
    .select(['checks.name as check_name', 'configuration.snooze_disallowed'])
    .select(
      sql<boolean>`(check_results.query_revision is distinct from configuration.query_revision
        and configuration.query_revision is distinct from configuration.upgraded_query_revision)`.as(
        'is_of_other_query',
      ),
    )
    .where(inOrganization('check_results', organizationId))
    .where('check_results.device_id', '=', deviceId)
    .where('check_results.check_id', '=', checkId)
    .executeTakeFirst()
  return result ?? fail('not_found', { message: 'The check does not run on this device.' })
}

export type ResultOnDevice = Awaited<ReturnType<typeof getResultOnDevice>>
