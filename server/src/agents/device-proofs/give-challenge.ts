import { createHash, randomBytes } from 'node:crypto'
import { CompactSign } from 'jose'
import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import type { HeldKeys } from '../../keys/held-keys.ts'
import { challengeLifeMs, maxOpenChallenges } from './proof-rules.ts'

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

type Asking = {
  organizationId: string
  /** What the challenge is for, such as the sign-in of one browser: its proof counts there alone. */
  sid: string
  origin: string
  now: string
}

/** Gives out a challenge for one attempt (docs/companion-protocol.md); at most six of one `sid` are open. */
export async function giveChallenge(
  { db, signingKeys }: { db: Db; signingKeys: HeldKeys },
  { organizationId, sid, origin, now }: Asking,
): Promise<string> {
  const { kid, privateKey } = await signingKeys.signing({ organizationId, purpose: 'challenge' }, now)
  const iat = Math.floor(Date.parse(now) / 1000)
  const nonce = randomBytes(32).toString('base64url')
  const claims = { iss: origin, aud: `urn:muster:agent:${organizationId}`, jti: nonce, sid, origin }
  const challenge = await new CompactSign(
    new TextEncoder().encode(JSON.stringify({ ...claims, iat, exp: iat + challengeLifeMs / 1000 })),
  )
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-challenge+jwt', kid })
    .sign(privateKey)
  await sql`
    with surplus as (
      select nonce_hash from companion_challenges
      where organization_id = ${organizationId}::bigint and sid = ${sid}
      order by given_at desc, nonce_hash offset ${sql.lit(maxOpenChallenges - 1)}
      for update skip locked
    ), dropped as (
      delete from companion_challenges
      where organization_id = ${organizationId}::bigint and sid = ${sid}
        and nonce_hash in (select nonce_hash from surplus)
    )
    insert into companion_challenges (organization_id, sid, nonce_hash, challenge_hash, given_at)
    values (${organizationId}::bigint, ${sid}, ${sha256(nonce)}, ${sha256(challenge)}, ${now}::timestamptz)`.execute(db)
  return challenge
}

/** Drops the challenges that are too old to be answered. */
export async function dropOldChallenges(db: Db, now: string): Promise<void> {
  await sql`delete from companion_challenges where given_at <= ${plusMs(now, -challengeLifeMs)}::timestamptz`.execute(
    db,
  )
}
