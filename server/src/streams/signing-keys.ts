import { generateKeyPair as generateKeyPairCallback, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { type Db, type Reader, type Tx, transact } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'

const generateKeyPair = promisify(generateKeyPairCallback)

/** How long receivers may keep the published keys, in seconds. */
export const publishedKeysMaxAgeSeconds = 3_600
/** A new key is published so long before its first use that every receiver has fetched it twice over. */
const publishedAheadMs = 2 * publishedKeysMaxAgeSeconds * 1_000
/** Longer than any token may still be delivered. */
const keptAfterRetirementMs = 31 * 86_400_000

const plusMs = (moment: string, durationMs: number): string => new Date(Date.parse(moment) + durationMs).toISOString()

/** What a sealed private key is bound to. */
export const sealingPlace = (kid: string): readonly string[] => ['signing_key', kid]

type NewSigningKey = { kid: string; sealed: Buffer; jwk: object }

/** RSA of 2,048 bits, for RS256: what the interoperability profile and every receiver support. */
async function makeKey(secrets: Secrets): Promise<NewSigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('rsa', { modulusLength: 2_048 })
  const kid = randomUUID()
  const sealed = secrets.seal(privateKey.export({ type: 'pkcs8', format: 'der' }), sealingPlace(kid))
  return { kid, sealed, jwk: publicKey.export({ format: 'jwk' }) }
}

/** Makes the first key of a deployment, which signs at once: nobody can have fetched the keys before. */
export async function ensureSigningKey(db: Db, secrets: Secrets, now: string): Promise<void> {
  if (await findSigningKey(db, now)) return
  const key = await makeKey(secrets)
  await transact(db, async (tx) => {
    await lockKeys(tx)
    if (!(await findSigningKey(tx, now))) await insertKey(tx, key, { now, activeFrom: now })
  })
}

/**
 * Publishes a new key that takes over in two hours, or at once where the present one is no longer trusted. Returns
 * the moment of the change. Made outside of the transaction, since making a key takes long.
 */
export async function rotateSigningKey(
  db: Db,
  secrets: Secrets,
  { now, isEmergency }: { now: string; isEmergency: boolean },
): Promise<{ kid: string; activeFrom: string }> {
  const key = await makeKey(secrets)
  const activeFrom = isEmergency ? now : plusMs(now, publishedAheadMs)
  await transact(db, async (tx) => {
    await lockKeys(tx)
    await tx
      .updateTable('signing_keys')
      .set({ retired_at: activeFrom })
      .where((build) => build.or([build('retired_at', 'is', null), build('retired_at', '>', activeFrom)]))
      .execute()
    await insertKey(tx, key, { now, activeFrom })
  })
  return { kid: key.kid, activeFrom }
}

/** Starters of several processes wait for each other. */
const lockKeys = (tx: Tx) => sql`lock table signing_keys in share row exclusive mode`.execute(tx)

const insertKey = (
  tx: Tx,
  { kid, sealed, jwk }: NewSigningKey,
  { now, activeFrom }: { now: string; activeFrom: string },
) =>
  tx
    .insertInto('signing_keys')
    .values({
      kid,
      sealed_private_key: sealed,
      public_jwk: JSON.stringify(jwk),
      created_at: now,
      active_from: activeFrom,
    })
    .execute()

/** The key that signs now. */
export const findSigningKey = (reader: Reader, now: string) =>
  reader
    .selectFrom('signing_keys')
    .select(['kid', 'sealed_private_key', 'active_from', 'retired_at'])
    .where('active_from', '<=', now)
    .where((build) => build.or([build('retired_at', 'is', null), build('retired_at', '>', now)]))
    .orderBy('active_from', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Public keys of tokens that may be on their way, and of those to come. */
export async function listPublishedKeys(reader: Reader, now: string) {
  const rows = await reader
    .selectFrom('signing_keys')
    .select(['kid', 'public_jwk'])
    .where((build) =>
      build.or([build('retired_at', 'is', null), build('retired_at', '>', plusMs(now, -keptAfterRetirementMs))]),
    )
    .orderBy('active_from', 'desc')
    .execute()
  return rows.map(({ kid, public_jwk: { kty, n, e } }) => ({ kty, kid, use: 'sig', alg: 'RS256', n, e }))
}

/** All keys without their private halves, the latest first. */
export const listSigningKeys = (reader: Reader) =>
  reader
    .selectFrom('signing_keys')
    .select(['kid', 'created_at', 'active_from', 'retired_at'])
    .orderBy('active_from', 'desc')
    .execute()
