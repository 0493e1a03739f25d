import { type Judgement, judgeProof } from '../../agents/device-proofs/judge-proof.ts'
import type { ProofRefusal } from '../../agents/device-proofs/proof-rules.ts'
import type { Occasion } from '../../base/change-context.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { chooseDevice, keepAnswered } from './choose-device.ts'
import { noteUndetected } from './note-undetected.ts'
import { lockSession, type SignInSession } from './session-queries.ts'
import { type Settled, settleLocked } from './settle-session.ts'

/** What a refused proof means for the page, and why it was refused. */
export type Refused =
  | { refusal: 'proof_invalid' | 'proof_relayed' | 'linking'; detail: ProofRefusal }
  | { refusal: 'several_devices'; detail?: never }
export type Proved = (Settled & { deviceId: string; port: number | null }) | Refused

type Given = {
  proofs: readonly string[]
  /** What the page calls the tab that it is in. */
  tab?: unknown
  origin: string
  occasion: Occasion
}

/** The tab counts that the page has named first, and nothing that no page of ours would name. */
const withTab = (session: SignInSession, tab: unknown): SignInSession =>
  session.tab === null && typeof tab === 'string' && /^[\w-]{1,64}$/.test(tab) ? { ...session, tab } : session

/** A page asks six ports at most. */
const maxProofs = 6

/**
 * Takes the proofs of devices and settles the sign-in with the one that counts, in one transaction. A proof that is refused
 * is noted as the reason why there is no device.
 */
export async function proveSession(
  db: Db,
  { organization_id: organizationId, id }: Pick<SignInSession, 'organization_id' | 'id'>,
  { proofs, tab, origin, occasion }: Given,
): Promise<Proved> {
  const { now } = occasion
  return transact(db, async (tx): Promise<Proved> => {
    const locked = await lockSession(tx, organizationId, id)
    const session = locked && withTab(locked, tab)
    // Before its upstream has answered nothing may use up what a device proves itself by.
    if (!session || session.state === 'identifying') return { refusal: 'proof_invalid', detail: 'wrong_session' }
    const judged: Judgement[] = []
    for (const proof of proofs.slice(0, maxProofs)) {
      judged.push(await judgeProof(tx, { organizationId, sid: id, origin, now }, proof))
    }
    const accepted = devicesOf(judged)
    if (accepted.length === 0) {
      const refused = refusalOf(judged)
      await noteUndetected(tx, session, { reason: refused.refusal }, now)
      return refused
    }
    const proved = await chooseDevice(tx, session, accepted)
    if (!proved) {
      await keepAnswered(tx, session, accepted)
      await noteUndetected(tx, session, { reason: 'several_devices' }, now)
      return { refusal: 'several_devices' }
    }
    const settled = await settleLocked(tx, session, proved, occasion)
    const { deviceId, port } = proved
    return { ...settled, deviceId, port }
  })
}

/** The devices that proved themselves, each once. */
const devicesOf = (judged: readonly Judgement[]) => [
  ...new Map(judged.flatMap((one) => ('refusal' in one ? [] : [[one.deviceId, one] as const]))).values(),
]

/** Of several refusals the one that says most to the person. */
function refusalOf(judged: readonly Judgement[]): Refused {
  const details = judged.flatMap((one) => ('refusal' in one ? [one.refusal] : []))
  if (details.includes('not_linked')) return { refusal: 'linking', detail: 'not_linked' }
  if (details.includes('relayed')) return { refusal: 'proof_relayed', detail: 'relayed' }
  return { refusal: 'proof_invalid', detail: details[0] ?? 'malformed' }
}
