import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** The check, where the organization wrote it itself. */
export const findWrittenCheck = (reader: Reader, organizationId: string, checkId: string) =>
  reader
    .selectFrom('checks')
    .selectAll()
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .where('is_provided', '=', false)
    .where('deletion_requested_at', 'is', null)
    .executeTakeFirst()
