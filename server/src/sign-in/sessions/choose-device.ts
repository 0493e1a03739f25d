import type { ProvedDevice } from '../../agents/device-proofs/judge-proof.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { findPersonId } from './find-person.ts'
import { findStanding } from './find-standing.ts'
import type { SignInSession } from './session-queries.ts'

/**
 * The one of several proved devices that the sign-in is of: the person's own, then one that is shared with them, then the one
 * that is registered to nobody. Undefined where several of these are left and the person, whom a signed request names, has to
 * say which one it is.
 */
export async function chooseDevice(
  reader: Reader,
  session: SignInSession,
  proved: readonly ProvedDevice[],
): Promise<ProvedDevice | undefined> {
  const [first] = proved
  if (!first || proved.length === 1) return first
  const personId = session.person_id ?? (await findPersonId(reader, session)) ?? null
  const ranked: { one: ProvedDevice; rank: number }[] = []
  for (const one of proved) ranked.push({ one, rank: await rankOf(reader, session, one.deviceId, personId) })
  const best = Math.min(...ranked.map(({ rank }) => rank))
  const left = ranked.filter(({ rank }) => rank === best)
  const isAsked = best === ofNobody && personId !== null && mayAsk(session)
  return isAsked && left.length > 1 ? undefined : left[0]?.one
}

/** A trial asks nothing. */
export const mayAsk = ({ mode }: SignInSession): boolean => mode !== 'observe'

const ofNobody = 2

async function rankOf(
  reader: Reader,
  session: SignInSession,
  deviceId: string,
  personId: string | null,
): Promise<number> {
  const asked = { personId, deviceId, answeredSince: session.started_at }
  const device = await findStanding(reader, session, asked)
  if (!device || device.device_id === null) return 5
  const { registered_owner_id: ownerId, registration_suspended_at: suspendedAt } = device
  if (ownerId === null) return suspendedAt === null ? ofNobody : 4
  if (ownerId === personId) return 0
  const isShared =
    device.authentication_mode === 'anyone' ||
    (device.authentication_mode === 'only_registered_owner_or_group_members' && Boolean(device.is_group_allowed))
  return isShared ? 1 : 3
}

/** Keeps the devices that the person is asked about: their proofs are used up. */
export async function keepCandidates(
  tx: Tx,
  { organization_id: organizationId, id }: SignInSession,
  candidates: readonly ProvedDevice[],
  now: string,
): Promise<void> {
  await tx
    .updateTable('signin_sessions')
    .set((row) => ({
      candidates: JSON.stringify(candidates),
      last_event_at: now,
      revision: row('revision', '+', 1),
    }))
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', id)
    .where('device_id', 'is', null)
    .execute()
}

/** The candidate that the person chose. Fails with not_found for any other device, and once a device is known. */
export function chosenCandidate({ candidates, device_id: known }: SignInSession, deviceId: string): ProvedDevice {
  const chosen = known === null ? candidates.find((one) => one.deviceId === deviceId) : undefined
  return chosen ?? fail('not_found')
}

/** The candidate that no longer needs to be chosen, because the others were registered or deleted meanwhile. */
export async function decidedCandidate(reader: Reader, session: SignInSession): Promise<ProvedDevice | undefined> {
  return session.device_id === null ? chooseDevice(reader, session, session.candidates) : undefined
}
