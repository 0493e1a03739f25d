import { closestSpelling, equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** The person of this address, unless deprovisioned. */
export const findPersonByEmail = (reader: Reader, organizationId: string, email: string) =>
  reader
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where(inOrganization('people', organizationId))
    .where(equalsFolded('email', email))
    .where('deprovisioned_at', 'is', null)
    .orderBy(closestSpelling('email', email), 'desc')
    .limit(1)
    .executeTakeFirst()
