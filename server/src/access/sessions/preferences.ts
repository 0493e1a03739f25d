import type { ConsolePreferences, ConsolePreferencesChange } from '@muster/contract/console-preferences.ts'
import { type DeviceColumnName, deviceColumnNames } from '@muster/contract/console-values.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import type { AdminPlace } from './second-factor.ts'

const asItComes: ConsolePreferences = { single_keys: true, device_columns: null }

export async function readPreferences(
  reader: Reader,
  { organizationId, adminUserId }: AdminPlace,
): Promise<ConsolePreferences> {
  const row = await reader
    .selectFrom('console_preferences')
    .select(['single_keys', 'device_columns'])
    .where(inOrganization('console_preferences', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .executeTakeFirst()
  if (!row) return asItComes
  // A later release may have fewer columns.
  const isKnown = (name: string): name is DeviceColumnName => deviceColumnNames.some((one) => one === name)
  return { single_keys: row.single_keys, device_columns: row.device_columns?.filter(isKnown) ?? null }
}

/** Personal preferences: the audit log has no entry. */
export async function changePreferences(
  tx: Tx,
  place: AdminPlace,
  change: ConsolePreferencesChange,
): Promise<ConsolePreferences> {
  const { organizationId: organization_id, adminUserId: admin_user_id } = place
  await tx
    .insertInto('console_preferences')
    .values({ organization_id, admin_user_id, ...asItComes, ...change })
    .onConflict((conflict) => {
      const known = conflict.constraint('console_preferences_pkey')
      return Object.keys(change).length === 0 ? known.doNothing() : known.doUpdateSet(change)
    })
    .execute()
  return readPreferences(tx, place)
}
