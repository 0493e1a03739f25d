import { deprovisionPerson } from '../../administration/registrations/deprovision-person.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { restorePerson } from '../../inventory/people/restore-person.ts'
import { updatePerson } from '../../inventory/people/update-person.ts'
import type { UserDraft } from './user-draft.ts'

type Wanted = Pick<UserDraft, 'active' | 'name' | 'userName'> & {
  /** Undefined: as it is. Someone who is out keeps theirs: Microsoft Entra renames those whom it deletes. */
  readonly email: string | undefined
}

/** Brings the person in line with their user. Devices are locked before their owner, so leaving comes first. */
export async function settlePerson(tx: Tx, personId: string, wanted: Wanted, call: ChangeContext): Promise<void> {
  if (wanted.active === false) {
    await deprovisionPerson(tx, { personId }, call)
  }
  if (wanted.active === true) await restorePerson(tx, { personId }, call)
  const { name, email, userName } = wanted
  await updatePerson(tx, { personId, name, email, usernames: [userName] }, call)
}
