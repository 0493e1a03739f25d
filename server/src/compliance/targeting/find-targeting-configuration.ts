import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** The configuration of a check, with what else decides whom it targets. */
export const findTargetingConfiguration = (
  reader: Reader,
  { organizationId, checkId }: { organizationId: string; checkId: string },
) =>
  reader
    .selectFrom('check_configurations as configuration')
    .innerJoin('checks', (join) =>
      join
        .onRef('checks.organization_id', '=', 'configuration.organization_id')
        .onRef('checks.id', '=', 'configuration.check_id'),
    )
    .selectAll('configuration')
    .select(['checks.type', 'checks.platforms'])
    .where(inOrganization('checks', organizationId))
    .where('checks.id', '=', checkId)
    .executeTakeFirstOrThrow()
