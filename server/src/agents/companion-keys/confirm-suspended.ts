import { systemChange } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { askForLinkAgain } from './ask-for-link.ts'

type Proving = {
  organization_id: string
  kid: string
  living_device_id: string | null
  suspended_at: string | null
  confirmed_at: string | null
  link_name: string | null
}

/**
 * Asks for the file of a key that proves a device whose registration is suspended, unless the device's osquery node has shown
 * it since then: the owner may confirm the registration once it has.
 */
export async function confirmSuspended(tx: Tx, key: Proving, now: string): Promise<void> {
  const { organization_id: organizationId, kid, living_device_id: deviceId, suspended_at: suspendedAt } = key
  if (deviceId === null || suspendedAt === null || key.link_name !== null) return
  const isConfirmed = key.confirmed_at !== null && key.confirmed_at > suspendedAt
  if (!isConfirmed) await askForLinkAgain(tx, { kid, deviceId }, systemChange(organizationId, now))
}
