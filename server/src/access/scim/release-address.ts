import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { foldText } from '../../base/fold-text.ts'
import { updatePerson } from '../../inventory/people/update-person.ts'
import { addressOf } from './user-draft.ts'
import { findUser, lockPeopleOfEmail } from './user-queries.ts'

/** Who is to have the address: undefined for someone who is not there yet. */
type Claim = { email: string; personId: string | undefined }

/**
 * Takes an address from users who are out and keep it, though their identity provider says another: theirs becomes what it says.
 * Returns whether there was one. Their users are read after the lock, which changes of them wait for.
 */
export async function releaseAddress(tx: Tx, { email, personId }: Claim, call: ChangeContext): Promise<boolean> {
  const people = await lockPeopleOfEmail(tx, call.organizationId, email, personId)
  let isReleased = false
  for (const { id, deprovisioned_at: leftAt } of people) {
    if (id === personId || leftAt === null) continue
    const user = await findUser(tx, call.organizationId, id)
    const said = user && addressOf(user.attributes, user.user_name)
    if (said === undefined || foldText(said) === foldText(email)) continue
    await updatePerson(tx, { personId: id, email: said }, call)
    isReleased = true
  }
  return isReleased
}
