import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { type OrganizationSettings, usualSettings } from './usual-settings.ts'

/** What holds for an organization: what it chose, else what is usual. */
export async function findSettings(reader: Reader, organizationId: string): Promise<OrganizationSettings> {
  const row = await reader
    .selectFrom('organization_settings')
    .select(['auth_logs_days', 'live_results_days', 'settled_signals_days', 'settled_deliveries_days'])
    .select([
      'is_first_device_trusted',
      'registration_required_checks',
      'is_second_factor_required',
      'is_owner_by_account',
    ])
    .where(inOrganization('organization_settings', organizationId))
    .executeTakeFirst()
  const chosen = Object.entries(row ?? {}).filter(([, value]) => value !== null)
  return { ...usualSettings, ...Object.fromEntries(chosen) }
}
