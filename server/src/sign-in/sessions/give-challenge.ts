import { randomBytes } from 'node:crypto'
import { CompactSign } from 'jose'
import { type RawBuilder, sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db } from '../../base/db/transact.ts'
import type { HeldKeys } from '../../keys/held-keys.ts'
import { hashOf } from './session-codes.ts'
import type { SignInSession } from './session-queries.ts'
import { limits } from './session-rules.ts'

/** Gives out a challenge for one attempt (docs/companion-protocol.md); at most six of a sign-in are open. */
export async function giveChallenge(
  { db, signingKeys }: { db: Db; signingKeys: HeldKeys },
  { organization_id: organizationId, id: sid }: SignInSession,
  { origin, now }: { origin: string; now: string },
): Promise<string> {
  const { kid, privateKey } = await signingKeys.signing({ organizationId, purpose: 'challenge' }, now)
  const iat = Math.floor(Date.parse(now) / 1000)
  const claims = { iss: origin, aud: `urn:muster:agent:${organizationId}`, jti: randomBytes(32).toString('base64url') }
  const payload = { ...claims, sid, origin, iat, exp: iat + limits.challengeMs / 1000 }
  const challenge = await new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-challenge+jwt', kid })
    .sign(privateKey)
  const given = JSON.stringify([{ hash: hashOf(challenge), at: now }])
  await db
    .updateTable('signin_sessions')
    .set({ challenges: latest(sql`challenges || ${given}::jsonb`) })
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', sid)
    .execute()
  return challenge
}

/** The last of a JSON array, in its order. */
const latest = (challenges: RawBuilder<unknown>) => sql<string>`(
  select jsonb_agg(challenge order by position)
  from jsonb_array_elements(${challenges}) with ordinality as given (challenge, position)
  where position > jsonb_array_length(${challenges}) - ${sql.lit(limits.challenges)})`
