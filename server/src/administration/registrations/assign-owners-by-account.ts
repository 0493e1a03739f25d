import { systemChange } from '../../base/change-context.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { type FoundOwner, findOwnersByAccount } from './owners-by-account.ts'
import { registerDevice } from './register-device.ts'

/**
 * Registers devices that never had an owner to the person whose account is logged in on them, in the organizations that
 * have chosen so, each in a transaction of its own. Returns how many.
 */
export async function assignOwnersByAccount(db: Db, clock: () => string, signal: AbortSignal): Promise<number> {
  let assigned = 0
  for (const organizationId of await listChoosing(db)) {
    let after: string | undefined
    do {
      const { found, last } = await findOwnersByAccount(db, organizationId, after)
      for (const owner of found) {
        signal.throwIfAborted()
        if (await transact(db, (tx) => assign(tx, organizationId, owner, clock()))) assigned += 1
      }
      after = last
    } while (after !== undefined)
  }
  return assigned
}

const choosing = (reader: Db | Tx) =>
  reader.selectFrom('organization_settings').select('organization_id').where('is_owner_by_account', '=', true)

async function listChoosing(db: Db): Promise<string[]> {
  const rows = await choosing(db).orderBy('organization_id').execute()
  return rows.map((row) => row.organization_id)
}

/** Whether the rule still holds, and the device still never had an owner, under the lock. */
async function assign(tx: Tx, organizationId: string, found: FoundOwner, now: string): Promise<boolean> {
  const { deviceId, account, person } = found
  const device = await lockDevice(tx, organizationId, deviceId)
  if (!device || device.has_had_owner) return false
  const holds = await choosing(tx).where('organization_id', '=', organizationId).forShare().executeTakeFirst()
  if (!holds || !(await lockPerson(tx, organizationId, person.id))) return false
  const registration = { deviceId, personId: person.id, reason: `their account "${account}" is logged in on it` }
  await registerDevice(tx, registration, systemChange(organizationId, now))
  return true
}
