import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { findPersonDetail } from './queries.ts'

/**
 * Whom SCIM provides, SCIM alone deprovisions and restores. To be asked once the person is locked: SCIM locks whom it links.
 * Fails with person_provided and with not_found.
 */
export async function requireNotProvided(tx: Tx, organizationId: string, personId: string): Promise<void> {
  const { is_provided: isProvided } = orNotFound(await findPersonDetail(tx, organizationId, personId))
  if (isProvided) fail('person_provided')
}
