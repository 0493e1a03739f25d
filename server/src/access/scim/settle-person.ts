import { ulid } from 'ulid'
import { deprovisionPerson } from '../../administration/registrations/deprovision-person.ts'
import type { Tx } from '../../base/db/transact.ts'
import { restorePerson } from '../../inventory/people/restore-person.ts'
import { updatePerson } from '../../inventory/people/update-person.ts'
import type { ScimCall } from './scim-call.ts'
import type { UserDraft } from './user-draft.ts'

type Wanted = Pick<UserDraft, 'active' | 'name' | 'email' | 'userName'>

/** Brings the person in line with their user. Devices are locked before their owner, so leaving comes first. */
export async function settlePerson(tx: Tx, personId: string, wanted: Wanted, call: ScimCall): Promise<void> {
  const { organizationId, actor, now } = call
  if (wanted.active === false) {
    await deprovisionPerson(tx, { organizationId, personId, actor }, { cause: ulid(), initiator: 'admin', now })
  }
  if (wanted.active === true) await restorePerson(tx, { organizationId, personId, actor, now })
  const { name, email, userName } = wanted
  await updatePerson(tx, { organizationId, personId, name, email, usernames: [userName], actor, now })
}
