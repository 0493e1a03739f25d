import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

type Asked = { organizationId: string; adminUserId: string | null }

/** What an organization has set up, for the administrator who asks. */
export const readFirstSteps = (reader: Reader, { organizationId, adminUserId }: Asked) =>
  reader
    .selectFrom('check_configurations')
    .select([
      sql<boolean>`exists (select from devices
        where ${inOrganization('devices', organizationId)} and deleted_at is null)`.as('has_devices'),
      sql<boolean>`exists (select from admin_credentials
          where ${inOrganization('admin_credentials', organizationId)} and admin_user_id = ${adminUserId}::bigint
            and totp_enabled_at is not null)
        or exists (select from admin_passkeys
          where ${inOrganization('admin_passkeys', organizationId)} and admin_user_id = ${adminUserId}::bigint)`.as(
        'has_second_factor',
      ),
      sql<boolean>`exists (select from scim_tokens
        where ${inOrganization('scim_tokens', organizationId)} and last_used_at is not null)`.as('has_provisioning'),
      sql<number>`count(*) filter (where remediation_strategy = 'report_only')::int`.as('reporting_checks'),
      sql<number>`count(*) filter (where remediation_strategy <> 'report_only')::int`.as('enforced_checks'),
    ])
    .where(inOrganization('check_configurations', organizationId))
    .executeTakeFirstOrThrow()
