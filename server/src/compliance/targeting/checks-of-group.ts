import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

const maxShown = 100

/** The checks whose configuration names a device group, with the lists that do; at most a hundred. */
export const listChecksOfGroup = (reader: Reader, organizationId: string, groupId: string) =>
  reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .select([
      'checks.id',
      'checks.name',
      sql<boolean>`${groupId}::text = any(configuration.targeted_groups)`.as('is_targeted'),
      sql<boolean>`${groupId}::text = any(configuration.excluded_groups)`.as('is_excluded'),
      sql<boolean>`${groupId}::text = any(configuration.blocking_allowed_groups)`.as('is_blocked'),
      sql<boolean>`${groupId}::text = any(configuration.blocking_excluded_groups)`.as('is_spared'),
    ])
    .where(inOrganization('checks', organizationId))
    .where('checks.deletion_requested_at', 'is', null)
    .where(
      sql<boolean>`${groupId}::text = any(configuration.targeted_groups || configuration.excluded_groups
        || configuration.blocking_allowed_groups || configuration.blocking_excluded_groups)`,
    )
    .orderBy('checks.id')
    .limit(maxShown)
    .execute()
