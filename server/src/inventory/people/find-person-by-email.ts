import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** The person of this address, whatever its case, unless deprovisioned. */
export const findPersonByEmail = (reader: Reader, organizationId: string, email: string) =>
  reader
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where(inOrganization('people', organizationId))
    .where((build) => build(build.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .where('deprovisioned_at', 'is', null)
    .executeTakeFirst()
