import { isDeepStrictEqual } from 'node:util'
import type { ProvedDevice } from '../../agents/device-proofs/judge-proof.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { personIdOf } from './find-person.ts'
import { findStanding } from './find-standing.ts'
import type { SignInSession } from './session-queries.ts'

/**
 * The one of several proved devices that the sign-in is of: the person's own, then one that is shared with them, then one
 * that is registered to nobody; of several of these the one whose companion a browser asked. Undefined where that leaves
 * several: which one it is decides what is checked, so the person does not choose.
 */
export async function chooseDevice<Device extends ProvedDevice>(
  reader: Reader,
  session: SignInSession,
  proved: readonly Device[],
): Promise<Device | undefined> {
  if (proved.length < 2) return proved[0]
  const personId = await personIdOf(reader, session)
  const ranked: { one: Device; rank: number }[] = []
  for (const one of proved) ranked.push({ one, rank: await rankOf(reader, session, one.deviceId, personId) })
  const best = Math.min(...ranked.map(({ rank }) => rank))
  const left = ranked.filter(({ rank }) => rank === best).map(({ one }) => one)
  const asked = left.length > 1 ? left.filter(({ isToBrowser }) => isToBrowser) : left
  return asked.length === 1 ? asked[0] : undefined
}

async function rankOf(
  reader: Reader,
  session: SignInSession,
  deviceId: string,
  personId: string | null,
): Promise<number> {
  const asked = { personId, deviceId, now: session.started_at }
  const device = await findStanding(reader, session, asked)
  if (!device || device.device_id === null) return 5
  const { registered_owner_id: ownerId, registration_suspended_at: suspendedAt } = device
  if (ownerId === null) return suspendedAt === null ? 2 : 4
  if (ownerId === personId) return 0
  const isShared =
    device.authentication_mode === 'anyone' ||
    (device.authentication_mode === 'only_registered_owner_or_group_members' && Boolean(device.is_group_allowed))
  return isShared ? 1 : 3
}

/** Keeps which devices answered where none of them is the one, so that the page can name them. */
export async function keepAnswered(
  tx: Tx,
  { organization_id: organizationId, id, answered_devices: known }: SignInSession,
  answered: readonly ProvedDevice[],
): Promise<void> {
  const deviceIds = answered.map(({ deviceId }) => deviceId).toSorted()
  // The page proves them again and again.
  if (isDeepStrictEqual(deviceIds, known)) return
  await tx
    .updateTable('signin_sessions')
    .set((row) => ({ answered_devices: JSON.stringify(deviceIds), revision: row('revision', '+', 1) }))
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', id)
    .where('device_id', 'is', null)
    .execute()
}
