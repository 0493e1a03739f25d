import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { findPersonDetail } from './queries.ts'

export type ByHand = {
  readonly personId: string
  /** Refuses whoever may not do what the change also does. */
  readonly requirePower: (power: AdminPower) => void
}

/**
 * Whom SCIM provides, SCIM alone deprovisions and restores; and whether an administrator gets in is for those who manage
 * administrators. To be asked once the person is locked: SCIM locks whom it links. Returns the identifier of the administrator who
 * has the person's address. Fails with person_provided, permission_missing and not_found.
 */
export async function admitByHand(
  tx: Tx,
  organizationId: string,
  { personId, requirePower }: ByHand,
): Promise<string | null> {
  const found = orNotFound(await findPersonDetail(tx, organizationId, personId))
  if (found.is_provided) fail('person_provided')
  if (found.administrator_id !== null) requirePower('manage_administrators')
  return found.administrator_id
}
