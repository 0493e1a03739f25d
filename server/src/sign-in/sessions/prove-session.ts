import { type Db, transact } from '../../base/db/transact.ts'
import { acceptProofs, type Refusal, readProofs } from './accept-proof.ts'
import { chooseDevice, keepCandidates } from './choose-device.ts'
import { noteUndetected } from './note-undetected.ts'
import { lockSession, type SignInSession } from './session-queries.ts'
import type { SessionState } from './session-rules.ts'
import { settleLocked } from './settle-session.ts'

export type Proved = { deviceId: string; state: SessionState } | { state: 'which_device' } | { refusal: Refusal }

/**
 * Takes the proofs of devices and settles the sign-in with the one that counts, in one transaction. A proof that is refused
 * has used its challenge up as well, and is noted as the reason why there is no device.
 */
export async function proveSession(
  db: Db,
  { organization_id: organizationId, id }: SignInSession,
  { proofs, origin, now }: { proofs: readonly string[]; origin: string; now: string },
): Promise<Proved> {
  const signed = await readProofs(db, proofs)
  return transact(db, async (tx): Promise<Proved> => {
    const session = await lockSession(tx, organizationId, id)
    // Before its upstream has answered nothing may use up what a device proves itself by.
    if (!session || session.state === 'identifying') return { refusal: 'proof_invalid' }
    const { accepted, challenges } = await acceptProofs(tx, session, { proofs: signed, origin, now })
    if ('refusal' in accepted) {
      const reason = accepted.refusal === 'linking' ? 'linking' : 'proof_invalid'
      await noteUndetected(tx, session, { reason, challenges }, now)
      return accepted
    }
    const proved = await chooseDevice(tx, session, accepted)
    if (!proved) {
      await keepCandidates(tx, session, { candidates: accepted, challenges }, now)
      return { state: 'which_device' }
    }
    const { judged } = await settleLocked(tx, session, { proved, challenges }, now)
    return { deviceId: proved.deviceId, state: judged.state }
  })
}
