import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** Why a device does not report tables: one row each, at most as many as there are tables. */
export const listProblems = (reader: Reader, organizationId: string, deviceId: string) =>
  reader
    .selectFrom('device_table_problems')
    .select(['reporting_table', 'type', 'message', 'since'])
    .where(inOrganization('device_table_problems', organizationId))
    .where('device_id', '=', deviceId)
    .execute()
