import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { KeyPurpose } from '../base/db/schema.ts'
import type { Reader } from '../base/db/transact.ts'
import { plusMs } from '../base/time.ts'
import { type KeyRing, keyPurposes, type PublishedKey } from './key-purposes.ts'

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

const ringInOrder = (reader: Reader, ring: KeyRing, now: string) =>
  ofRing(reader, ring)
    .where('withdrawn_at', 'is', null)
    .where((build) =>
      build.or([
        build('retired_at', 'is', null),
        build('retired_at', '>', plusMs(now, -keyPurposes[ring.purpose].keptMs)),
      ]),
    )
    .orderBy(sql`active_from <= ${now}::timestamptz`, 'desc')
    .orderBy('active_from', 'desc')
    .orderBy('kid')

/** The public half of a key that a ring has, or has had; undefined of one that was withdrawn. */
export async function findPublicKey(reader: Reader, ring: KeyRing, kid: string) {
  const row = await ofRing(reader, ring)
    .select('public_jwk')
    .where('kid', '=', kid)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst()
  return row?.public_jwk
}

/** The keys of a ring that its verifiers may need now, the one that signs first. */
export const listRing = (reader: Reader, ring: KeyRing, now: string) =>
  ringInOrder(reader, ring, now)
    .select(['kid', 'sealed_private_key', 'public_jwk', 'certificate', 'active_from', 'retired_at'])
    .execute()

/** The identifiers of the same keys, for a statement that reads more. */
export const kidsOfRing = (reader: Reader, ring: KeyRing, now: string) =>
  sql<string[]>`array(${ringInOrder(reader, ring, now).select('kid')})`

export type RingRow = Awaited<ReturnType<typeof listRing>>[number]

/** The key set of a ring (RFC 7517): public keys of what may be on its way, and of what is to come, of one purpose alone. */
export const publishedSet = async <Purpose extends KeyPurpose>(
  reader: Reader,
  ring: KeyRing<Purpose>,
  now: string,
): Promise<PublishedKey<Purpose>[]> => presentSet(ring, await listRing(reader, ring, now))

export const presentSet = <Purpose extends KeyPurpose>({ purpose }: KeyRing<Purpose>, rows: readonly RingRow[]) =>
  rows.map(({ kid, public_jwk: jwk, certificate }) => {
    const { algorithm: alg } = keyPurposes[purpose]
    // Each row has a key of the algorithm of its purpose.
    return { ...jwk, kid, use: 'sig', alg, ...(certificate && certified(certificate)) } as PublishedKey<Purpose>
  })

/** Of a certificate in DER (RFC 7517 §4.8). */
export const thumbprintOf = (certificate: Buffer): string => createHash('sha1').update(certificate).digest('base64url')

/** Whether a ring has certified keys, none of which is named by the thumbprint of its certificate. */
export const isNamedOtherwise = (rows: readonly Pick<RingRow, 'kid' | 'certificate'>[]): boolean =>
  rows.length > 0 && rows.every(({ kid, certificate }) => certificate !== null && kid !== thumbprintOf(certificate))

const certified = (certificate: Buffer) => ({
  x5t: thumbprintOf(certificate),
  x5c: [certificate.toString('base64')],
})

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
