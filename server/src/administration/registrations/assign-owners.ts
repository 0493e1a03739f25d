import type { Permission } from '@muster/contract/permissions.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Db } from '../../base/db/transact.ts'
import { assignOwner } from './assign-owner.ts'
import { eachDevice } from './each-device.ts'

type Asked = {
  readonly registrations: readonly { readonly deviceId: string; readonly personId: string }[]
  readonly requirePower: (permission: Permission) => void
}

/** Registers each device to its person separately. */
export async function assignOwners(db: Db, { registrations, requirePower }: Asked, context: ChangeContext) {
  let registered = 0
  const refused = await eachDevice(db, context.organizationId, registrations, async (tx, asked) => {
    if (await assignOwner(tx, { ...asked, requirePower }, context)) registered += 1
  })
  const unchanged = registrations.length - registered - refused.length
  return { registered_count: registered, unchanged_count: unchanged, refused }
}
