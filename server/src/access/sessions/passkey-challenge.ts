import { randomBytes } from 'node:crypto'
import type { Tx } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { clockToleranceMs, isGoodNow, plusMs } from '../../base/time.ts'

export type ChallengePurpose = 'sign in' | 'add'

const randomLength = 16
const contentLength = randomLength + 4
const goodForSeconds = 300

/**
 * Says itself what it is for and until when, by our own code over it: asking for one costs the database nothing.
 * `holder` is for whom, if that is known.
 */
export function makeChallenge(secrets: Secrets, purpose: ChallengePurpose, holder: string, now: string): Buffer {
  const content = Buffer.alloc(contentLength)
  randomBytes(randomLength).copy(content)
  content.writeUInt32BE(Math.floor(Date.parse(now) / 1_000) + goodForSeconds, randomLength)
  return Buffer.concat([content, secrets.sign('passkey challenge', signedText(content, purpose, holder))])
}

export function isOurChallenge(secrets: Secrets, text: string, purpose: ChallengePurpose, holder: string, now: string) {
  const bytes = Buffer.from(text, 'base64url')
  // It is remembered by its text, so it has one spelling.
  if (bytes.length !== contentLength + 16 || bytes.toString('base64url') !== text) return false
  const content = bytes.subarray(0, contentLength)
  const endsAtMs = content.readUInt32BE(randomLength) * 1_000
  if (!isGoodNow(endsAtMs, goodForSeconds * 1_000, Date.parse(now))) return false
  return secrets.verify('passkey challenge', signedText(content, purpose, holder), bytes.subarray(contentLength))
}

const signedText = (content: Buffer, purpose: ChallengePurpose, holder: string): string =>
  JSON.stringify([content.toString('base64url'), purpose, holder])

/** False when it was used before. */
export async function useChallenge(tx: Tx, secrets: Secrets, text: string, now: string): Promise<boolean> {
  const used = await tx
    .insertInto('used_passkey_challenges')
    .values({
      challenge_hash: secrets.lookupHash('passkey challenge', text),
      expires_at: plusMs(now, goodForSeconds * 1_000 + clockToleranceMs),
    })
    .onConflict((conflict) => conflict.constraint('used_passkey_challenges_pkey').doNothing())
    .returning('expires_at')
    .executeTakeFirst()
  return used !== undefined
}
