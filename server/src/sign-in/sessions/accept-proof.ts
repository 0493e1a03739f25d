import { compactVerify, decodeProtectedHeader, errors, importJWK } from 'jose'
import { findProofKey, useEpoch } from '../../agents/companion-keys/proof-keys.ts'
import type { Db, Tx } from '../../base/db/transact.ts'
import { isGoodNow } from '../../base/time.ts'
import type { SignInSession } from './session-queries.ts'
import { limits } from './session-rules.ts'

/** A device that has proved itself, with what its proof says besides. */
export type ProvedDevice = { deviceId: string; says: string }

export type Refusal = 'proof_invalid' | 'linking' | 'epoch_spent'
/** The devices that proved themselves, each once; or why none did. */
export type Accepted = readonly ProvedDevice[] | { refusal: Refusal }

const type = 'muster-proof+jwt'
const maxLength = 2_500
/** A page asks six ports at most. */
const maxProofs = 6

type Proof = {
  sid: string
  aud: string
  challenge_hash: string
  epoch: string
  iat?: unknown
  via?: unknown
  os_user?: unknown
}

type Facts = { origin: string; now: string }
/** A proof whose signature is that of the key. */
export type SignedProof = NonNullable<Awaited<ReturnType<typeof readProof>>>
type Challenges = SignInSession['challenges']

/** Those of the proofs that are signed by a key which is known. */
export async function readProofs(db: Db, proofs: readonly string[]): Promise<SignedProof[]> {
  const read = await Promise.all(proofs.slice(0, maxProofs).map((proof) => readProof(db, proof)))
  return read.filter((proof) => proof !== undefined)
}

/**
 * Takes the proofs of the devices that answered in a sign-in that is locked: each signed by a linked key of the organization,
 * over a challenge that this sign-in was given less than a minute ago and that nothing has used up. Each challenge counts
 * once; those that are left are returned.
 */
export async function acceptProofs(
  tx: Tx,
  session: SignInSession,
  { proofs, ...facts }: Facts & { proofs: readonly SignedProof[] },
): Promise<{ accepted: Accepted; challenges: Challenges }> {
  const accepted: ProvedDevice[] = []
  const refusals = new Set<Refusal>()
  let open = session.challenges
  for (const proof of proofs) {
    const challenge = challengeOf(session, open, proof, facts)
    if (!challenge) continue
    open = open.filter((one) => one !== challenge)
    const one = await acceptProof(tx, proof, facts.now)
    if ('refusal' in one) refusals.add(one.refusal)
    else accepted.push(one)
  }
  const refusal = (['linking', 'epoch_spent'] as const).find((one) => refusals.has(one)) ?? 'proof_invalid'
  if (accepted.length === 0) return { accepted: { refusal }, challenges: open }
  return { accepted: [...new Map(accepted.map((one) => [one.deviceId, one])).values()], challenges: open }
}

async function acceptProof(
  tx: Tx,
  { proof, key, kid }: SignedProof,
  now: string,
): Promise<ProvedDevice | { refusal: Refusal }> {
  const { organizationId, deviceId } = key
  if (deviceId === undefined) return { refusal: 'linking' }
  if (!(await useEpoch(tx, { organizationId, kid, epoch: proof.epoch, now }))) return { refusal: 'epoch_spent' }
  return { deviceId, says: sayingsOf(proof, now) }
}

/** The open challenge of this sign-in that a proof answers. */
function challengeOf(
  session: SignInSession,
  open: Challenges,
  { proof, key }: SignedProof,
  { origin, now }: Facts,
): Challenges[number] | undefined {
  if (key.organizationId !== session.organization_id || proof.sid !== session.id || proof.aud !== origin)
    return undefined
  const wanted = Buffer.from(proof.challenge_hash, 'base64url').toString('hex')
  const isOpen = (at: string) => isGoodNow(Date.parse(at) + limits.challengeMs, limits.challengeMs, Date.parse(now))
  return open.find(({ hash, at }) => hash === wanted && isOpen(at))
}

async function readProof(db: Db, text: string) {
  if (text.length > maxLength) return undefined
  try {
    const { alg, typ, kid } = decodeProtectedHeader(text)
    if (alg !== 'ES256' || typ !== type || typeof kid !== 'string') return undefined
    const key = await findProofKey(db, kid)
    if (!key) return undefined
    const { payload } = await compactVerify(text, await importJWK(key.publicJwk, 'ES256'), { algorithms: ['ES256'] })
    const proof = JSON.parse(new TextDecoder().decode(payload)) as Proof
    const isWhole = [proof.challenge_hash, proof.epoch, proof.sid].every((value) => typeof value === 'string')
    return isWhole ? { proof, key, kid } : undefined
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError)
      return undefined
    throw error
  }
}

/** Claims of the device that go into the log in words; none of them decides. */
function sayingsOf({ via, os_user: user, iat }: Proof, now: string): string {
  const uid = typeof user === 'object' && user !== null && 'uid' in user ? Number(user.uid) : Number.NaN
  const offMinutes = Math.round((Number(iat) * 1000 - Date.parse(now)) / 60_000)
  const isClockWrong = Number.isFinite(offMinutes) && Math.abs(offMinutes) >= 5
  const parts = [
    via === 'navigation' && ' through the address bar',
    Number.isInteger(uid) && ` to a browser of user ${uid}`,
    isClockWrong && `; its clock is ${Math.abs(offMinutes)} minutes ${offMinutes > 0 ? 'ahead' : 'behind'}`,
  ]
  return parts.filter((part) => part !== false).join('')
}
