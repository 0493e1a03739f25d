import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { confirmSuspended } from '../companion-keys/confirm-suspended.ts'
import { isEpochAccepted } from '../companion-keys/epoch-rules.ts'
import { noteEpoch, noteProof } from '../companion-keys/note-epoch.ts'
import { findProvingKey } from '../companion-keys/queries.ts'
import { sha256 } from './give-challenge.ts'
import {
  type Asked,
  type GivenChallenge,
  isBrowser,
  isRelay,
  judgeAnswer,
  judgePlace,
  type Proof,
  type ProofRefusal,
} from './proof-rules.ts'
import { readKid, verifyProof } from './read-proof.ts'

/** A device that has proved itself, with what its proof says besides. */
export type ProvedDevice = {
  deviceId: string
  /** For the log, in words. */
  says: string
  /** Whether a program that is known as a browser asked for the proof. */
  isToBrowser: boolean
  /** How many people are logged in on it; null where its companion cannot tell. */
  people: number | null
  /** The network that its companion last checked in from. */
  network: string | null
}

/** The same with the port at which its companion was found at its last check-in. */
export type Judgement = (ProvedDevice & { port: number | null }) | { refusal: ProofRefusal }

/**
 * Judges a proof (docs/companion-protocol.md): signed by a linked key of the organization, over a challenge that was given
 * to this `sid` less than a minute ago and that nothing has used up. One that is signed and meant for this `sid` uses its
 * challenge up, also when it is refused; no other changes anything.
 */
export async function judgeProof(
  tx: Tx,
  { organizationId, ...asked }: Asked & { organizationId: string },
  text: string,
): Promise<Judgement> {
  const named = readKid(text)
  if ('refusal' in named) return named
  const key = await findProvingKey(tx, organizationId, named.kid)
  if (!key) return { refusal: 'unknown_key' }
  const verified = await verifyProof(text, key.public_jwk)
  if ('refusal' in verified) return verified
  const { proof } = verified
  const misplaced = judgePlace(proof, asked)
  if (misplaced) return { refusal: misplaced }
  const given = await takeChallenge(tx, organizationId, proof)
  const standing = standingOf(key, proof, asked.now)
  const refusal = judgeAnswer(proof, given, asked) ?? standing ?? (isRelay(proof) ? 'relayed' : undefined)
  if (refusal) return { refusal }
  await noteProof(tx, key, asked.now)
  await noteEpoch(tx, key, proof.epoch, asked.now)
  await confirmSuspended(tx, key, asked.now)
  return {
    ...{ deviceId: key.living_device_id ?? '', says: sayingsOf(proof, asked.now), port: key.port },
    ...{ isToBrowser: isBrowser(proof), people: proof.people ?? null, network: key.network },
  }
}

type Key = NonNullable<Awaited<ReturnType<typeof findProvingKey>>>

function standingOf(key: Key, { epoch }: Proof, now: string): ProofRefusal | undefined {
  const { status, device_id: deviceId, living_device_id: livingId } = key
  if (status !== 'linked' || !isEpochAccepted(key, epoch, now)) return 'not_linked'
  if (livingId !== null) return undefined
  return deviceId === null ? 'not_linked' : 'device_deleted'
}

/** Uses up the challenge that a nonce was given with. */
async function takeChallenge(
  tx: Tx,
  organizationId: string,
  { sid, nonce }: Proof,
): Promise<GivenChallenge | undefined> {
  const row = await tx
    .deleteFrom('companion_challenges')
    .where(inOrganization('companion_challenges', organizationId))
    .where('sid', '=', sid)
    .where('nonce_hash', '=', sha256(nonce))
    .returning(['challenge_hash', 'given_at'])
    .executeTakeFirst()
  return row && { challengeHash: row.challenge_hash, givenAt: row.given_at }
}

/** Claims of the device that go into the log in words; none of them decides. */
function sayingsOf({ via, peer, iat }: Proof, now: string): string {
  const offMinutes = Math.round(((iat ?? Number.NaN) * 1000 - Date.parse(now)) / 60_000)
  const isClockWrong = Number.isFinite(offMinutes) && Math.abs(offMinutes) >= 5
  const parts = [
    via === 'navigation' && ' through the address bar',
    peer ? ` to a browser of user ${peer.uid}` : ' to a browser of an unknown user',
    isClockWrong && `; its clock is ${Math.abs(offMinutes)} minutes ${offMinutes > 0 ? 'ahead' : 'behind'}`,
  ]
  return parts.filter(Boolean).join('')
}
