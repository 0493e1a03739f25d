import { sql } from 'kysely'
import type { KeyPurpose } from '../base/db/schema.ts'
import type { Reader } from '../base/db/transact.ts'
import { dayMs, plusMs } from '../base/time.ts'

/** How long receivers may keep the published keys, in seconds. */
export const publishedKeysMaxAgeSeconds = 3_600

/**
 * `leadMs`: a new key is published this long before its first use, so that every verifier has fetched it twice over.
 * `keptMs`: an old one stays published this long, longer than any token of it may still be delivered.
 */
export const keyTimes: Readonly<Record<KeyPurpose, { leadMs: number; keptMs: number }>> = {
  signals: { leadMs: 2 * publishedKeysMaxAgeSeconds * 1_000, keptMs: 31 * dayMs },
  // Companions fetch them every five minutes; a challenge is good for a minute.
  challenge: { leadMs: 15 * 60_000, keptMs: 3_600_000 },
  oidc: { leadMs: 2 * publishedKeysMaxAgeSeconds * 1_000, keptMs: dayMs },
  // Microsoft Entra keeps keys for a day.
  entra: { leadMs: 2 * dayMs, keptMs: dayMs },
}

/** The keys of an organization for one purpose; a key has one purpose, and nothing else is signed with it. */
export type KeyRing = { organizationId: string; purpose: KeyPurpose }

const ofRing = (reader: Reader, { organizationId, purpose }: KeyRing) =>
  reader
    .selectFrom('signing_keys')
    .where('signing_keys.organization_id', '=', organizationId)
    .where('purpose', '=', purpose)

/** The key that signs now. */
export const findSigningKey = (reader: Reader, ring: KeyRing, now: string) =>
  ofRing(reader, ring)
    .select(['kid', 'sealed_private_key', 'created_at', 'active_from', 'retired_at'])
    .where('withdrawn_at', 'is', null)
    .where('active_from', '<=', now)
    .where((build) => build.or([build('retired_at', 'is', null), build('retired_at', '>', now)]))
    .orderBy('active_from', 'desc')
    .limit(1)
    .executeTakeFirst()

/**
 * The key set of an organization (RFC 7517): public keys of tokens that may be on their way, and of those to
 * come.
 */
export async function listPublishedKeys(reader: Reader, organizationId: string, now: string) {
  const oldest = plusMs(now, -keyTimes.signals.keptMs)
  const rows = await reader
    .selectFrom('signing_keys')
    .select(['kid', 'public_jwk'])
    .where('organization_id', '=', organizationId)
    .where('purpose', '=', 'signals')
    .where('withdrawn_at', 'is', null)
    .where((build) => build.or([build('retired_at', 'is', null), build('retired_at', '>', oldest)]))
    .orderBy('active_from', 'desc')
    .orderBy('kid')
    .execute()
  return rows.map(presentKey)
}

/** The keys of a ring that its verifiers may need now, the one that signs first. */
export const listRing = (reader: Reader, ring: KeyRing, now: string) =>
  ofRing(reader, ring)
    .select(['kid', 'sealed_private_key', 'public_jwk', 'certificate', 'active_from'])
    .where('withdrawn_at', 'is', null)
    .where((build) =>
      build.or([
        build('retired_at', 'is', null),
        build('retired_at', '>', plusMs(now, -keyTimes[ring.purpose].keptMs)),
      ]),
    )
    .orderBy(sql`active_from <= ${now}::timestamptz`, 'desc')
    .orderBy('active_from', 'desc')
    .execute()

type KeyRow = { kid: string; public_jwk: { kty: 'RSA'; n: string; e: string } }

const presentKey = ({ kid, public_jwk: { kty, n, e } }: KeyRow) => ({ kty, kid, use: 'sig', alg: 'RS256', n, e })

/** All keys of an organization, or of every one, without their private halves, the latest first. */
export const listSigningKeys = (reader: Reader, organizationId?: string) =>
  reader
    .selectFrom('signing_keys')
    .select(['organization_id', 'purpose', 'kid', 'created_at', 'active_from', 'retired_at', 'withdrawn_at'])
    .$if(organizationId !== undefined, (query) => query.where('organization_id', '=', organizationId ?? ''))
    .orderBy('organization_id')
    .orderBy('purpose')
    .orderBy('active_from', 'desc')
    .execute()

type KeyMoments = { active_from: string; retired_at: string | null; withdrawn_at: string | null }

export type KeyState = 'published' | 'signing' | 'retired' | 'unused' | 'withdrawn'

/** A key's state follows from its moments, so that no clock has to move a column at the right time. */
export function stateOfKey({ active_from: from, retired_at: until, withdrawn_at }: KeyMoments, now: string): KeyState {
  if (withdrawn_at !== null) return 'withdrawn'
  if (until !== null && until <= from) return 'unused'
  if (from > now) return 'published'
  return until !== null && until <= now ? 'retired' : 'signing'
}
