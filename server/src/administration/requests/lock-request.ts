import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { findExemptionRequest } from './exemption-queries.ts'
import { findRegistrationRequest } from './registration-queries.ts'

// Whoever changes a request holds the lock of its device, so decisions about one request come one after another. What
// was found before is read again under the lock, because someone may have decided meanwhile.

/** Locks the device of an exemption request and returns both with the requester. Fails with not_found. */
export async function lockExemptionRequest(tx: Tx, organizationId: string, id: string) {
  const { device_id } = orNotFound(await findExemptionRequest(tx, organizationId, id))
  const device = orNotFound(await lockDevice(tx, organizationId, device_id))
  const request = orNotFound(await findExemptionRequest(tx, organizationId, id))
  return { device, request, requester: await getRequester(tx, organizationId, request.person_id) }
}

/** Locks the device of a registration request and returns both with the requester. Fails with not_found. */
export async function lockRegistrationRequest(tx: Tx, organizationId: string, id: string) {
  const { device_id } = orNotFound(await findRegistrationRequest(tx, organizationId, id))
  const device = orNotFound(await lockDevice(tx, organizationId, device_id))
  const request = orNotFound(await findRegistrationRequest(tx, organizationId, id))
  return { device, request, requester: await getRequester(tx, organizationId, request.person_id) }
}

const getRequester = (tx: Tx, organizationId: string, personId: string) =>
  tx
    .selectFrom('people')
    .select(['id', 'name', 'email', 'deprovisioned_at'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()

type Requester = Awaited<ReturnType<typeof getRequester>>

/** Refuses what can be decided no more. */
export function refuseUnlessWaiting(
  { status }: { status: 'open' | 'pending' | 'withdrawn' | 'approved' | 'denied' },
  requester: Requester,
): void {
  if (status === 'withdrawn') fail('request_withdrawn')
  if (status === 'approved' || status === 'denied') fail('request_decided')
  refuseLeaver(requester)
}

/** Requests of people who are out are about to be ended, and none is opened again. */
export function refuseLeaver({ deprovisioned_at: leftAt }: Requester): void {
  if (leftAt !== null) fail('request_withdrawn', { message: 'The requester has left the organization.' })
}
