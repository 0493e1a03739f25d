import { generateKeyPair as generateKeyPairCallback, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import type { AuditAction } from '@muster/contract/audit-actions.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../base/change-context.ts'
import { type Db, type Tx, transact } from '../base/db/transact.ts'
import { fail, orNotFound } from '../base/errors.ts'
import type { Secrets } from '../base/secrets/secrets.ts'
import { minuteMs, plusMs } from '../base/time.ts'
import { certifyKey } from './certify-key.ts'
import { type KeyRing, keyPurposes } from './key-purposes.ts'
import { sealPrivateKey } from './seal-private-key.ts'
import { findSigningKey, isNamedOtherwise, listRing, stateOfKey, thumbprintOf } from './signing-keys.ts'

const generateKeyPair = promisify(generateKeyPairCallback)

type Moments = { now: string; activeFrom: string }
type NewSigningKey = { kid: string; sealed: Buffer; jwk: object; certificate: Buffer | null }

/** Of 2,048 bits or on P-256: what the interoperability profile and every verifier support. */
const keyPair = (algorithm: 'RS256' | 'ES256') =>
  algorithm === 'RS256'
    ? generateKeyPair('rsa', { modulusLength: 2_048 })
    : generateKeyPair('ec', { namedCurve: 'P-256' })

async function makeKey(secrets: Secrets, ring: KeyRing, now: string): Promise<NewSigningKey> {
  const { algorithm, isCertified } = keyPurposes[ring.purpose]
  const { privateKey, publicKey } = await keyPair(algorithm)
  const certificate = isCertified ? await certifyKey({ privateKey, publicKey }, now) : null
  // Microsoft asks external methods for a kid in base64url that is the thumbprint of the certificate.
  const kid = certificate ? thumbprintOf(certificate) : randomUUID()
  return {
    kid,
    sealed: sealPrivateKey(secrets, privateKey, { ...ring, kid }),
    jwk: publicKey.export({ format: 'jwk' }),
    certificate,
  }
}

/**
 * Publishes a successor of keys that were named before the thumbprint of their certificate was their name; it signs once every
 * verifier has fetched it, and the key of before stays published until its tokens have ended.
 */
export async function nameByThumbprint(db: Db, secrets: Secrets, ring: KeyRing, now: string): Promise<void> {
  const key = await makeKey(secrets, ring, now)
  await transact(db, async (tx) => {
    await lockRing(tx, ring)
    if (!isNamedOtherwise(await listRing(tx, ring, now))) return
    await publishNext(tx, ring, key, { now, activeFrom: plusMs(now, keyPurposes[ring.purpose].leadMs) })
  })
}

/**
 * Makes the first key of a ring, which signs at once: nobody can have fetched the keys before. It signs from a minute ago, so
 * that whoever asks in the same moment, by a clock that is a little behind, finds it and makes no other.
 */
export async function ensureSigningKey(db: Db, secrets: Secrets, ring: KeyRing, now: string): Promise<void> {
  if (await hasKey(db, ring, now)) return
  const key = await makeKey(secrets, ring, now)
  await transact(db, async (tx) => {
    await lockRing(tx, ring)
    if (!(await hasKey(tx, ring, now))) await insertKey(tx, ring, key, { now, activeFrom: plusMs(now, -minuteMs) })
  })
}

const hasKey = async (reader: Parameters<typeof findSigningKey>[0], ring: KeyRing, now: string) =>
  (await findSigningKey(reader, ring, now)) !== undefined

/** Takes what the keys signed from what waits, so that it is signed again; returns how much that was. */
export type Resign = (tx: Tx, ring: KeyRing, kids: readonly string[], now: string) => Promise<number>

/** Of keys whose signatures are handed out at once. */
export const nothingWaits: Resign = async () => 0

type Entry = { action: AuditAction; about: { organization: string }; description: string }

/** What is done in the same transaction by what lies above the keys: tokens are signed again, and the audit log is told. */
export type Handed = {
  resign: Resign
  record: (tx: Tx, entry: Entry, context: ChangeContext) => Promise<void>
}

type Rotation = Handed & { ring: KeyRing; isEmergency: boolean }
export type Rotated = { kid: string; activeFrom: string; withdrawn: string[]; resignedCount: number }

/**
 * Publishes a new key that takes over when every verifier has it; the first of a ring signs at once. So does one that replaces
 * a key that is no longer trusted: that one, and any that was to come, leave the key set in the same moment, and what waits
 * is signed again by `resign` in the same transaction. Keys are made outside of the transaction, since that takes long.
 */
export async function rotateSigningKey(
  db: Db,
  secrets: Secrets,
  rotation: Rotation,
  context: ChangeContext,
): Promise<Rotated> {
  const { now } = context
  const { ring, isEmergency } = rotation
  const key = await makeKey(secrets, ring, now)
  return transact(db, async (tx) => {
    await lockRing(tx, ring)
    if (isEmergency) return replaceAtOnce(tx, rotation, key, context)
    const isFirst = (await listKeysOf(tx, ring)).every((one) => ['withdrawn', 'retired'].includes(stateOfKey(one, now)))
    const activeFrom = isFirst ? now : plusMs(now, keyPurposes[ring.purpose].leadMs)
    await publishNext(tx, ring, key, { now, activeFrom })
    const description = `Published the signing key ${key.kid}, which signs from ${activeFrom} on.`
    await rotation.record(tx, entryOf(ring, 'signing_key.published', description), context)
    return { kid: key.kid, activeFrom, withdrawn: [], resignedCount: 0 }
  })
}

/** A key that takes over from those of before at a moment to come. */
async function publishNext(tx: Tx, ring: KeyRing, key: NewSigningKey, moments: Moments): Promise<void> {
  const { activeFrom } = moments
  await tx
    .updateTable('signing_keys')
    .set({ retired_at: activeFrom })
    .where('organization_id', '=', ring.organizationId)
    .where('purpose', '=', ring.purpose)
    .where('withdrawn_at', 'is', null)
    .where((build) => build.or([build('retired_at', 'is', null), build('retired_at', '>', activeFrom)]))
    .execute()
  await insertKey(tx, ring, key, moments)
}

async function replaceAtOnce(tx: Tx, rotation: Rotation, key: NewSigningKey, context: ChangeContext): Promise<Rotated> {
  const { now } = context
  const { ring, resign } = rotation
  const keys = await listKeysOf(tx, ring)
  const distrusted = keys.filter((one) => ['signing', 'published'].includes(stateOfKey(one, now)))
  const withdrawn = distrusted.map(({ kid }) => kid)
  await insertKey(tx, ring, key, { now, activeFrom: now })
  await withdrawKeys(tx, ring, withdrawn, now)
  const resignedCount = await resign(tx, ring, withdrawn, now)
  const description = `Replaced the signing key at once by ${key.kid}, and withdrew ${withdrawn.join(', ') || 'none'}.`
  await rotation.record(tx, entryOf(ring, 'signing_key.replaced', description), context)
  return { kid: key.kid, activeFrom: now, withdrawn, resignedCount }
}

/**
 * Takes a key out of the key set at once, in whatever state it is; one that signs is replaced by a new one in the same
 * moment. Fails with not_found, and with invalid when it was withdrawn before.
 */
export async function withdrawSigningKey(
  db: Db,
  secrets: Secrets,
  { kid, resign, record }: Handed & { kid: string },
  context: ChangeContext,
): Promise<Rotated | { kid: undefined; withdrawn: string[]; resignedCount: number }> {
  const { now } = context
  const found = orNotFound(await findKey(db, kid))
  const ring = { organizationId: found.organization_id, purpose: found.purpose }
  const state = stateOfKey(found, now)
  if (state === 'withdrawn') fail('invalid', { message: 'The key was withdrawn before.' })
  if (state === 'signing') return rotateSigningKey(db, secrets, { ring, isEmergency: true, resign, record }, context)
  return transact(db, async (tx) => {
    await lockRing(tx, ring)
    if (state === 'published') await keepSigning(tx, ring, found.active_from)
    await withdrawKeys(tx, ring, [kid], now)
    const resignedCount = await resign(tx, ring, [kid], now)
    await record(tx, entryOf(ring, 'signing_key.withdrawn', `Withdrew the signing key ${kid}.`), context)
    return { kid: undefined, withdrawn: [kid], resignedCount }
  })
}

/** The key that was to end when the one that is withdrawn took over continues. */
async function keepSigning(tx: Tx, ring: KeyRing, retiredAt: string): Promise<void> {
  await tx
    .updateTable('signing_keys')
    .set({ retired_at: null })
    .where('organization_id', '=', ring.organizationId)
    .where('purpose', '=', ring.purpose)
    .where('retired_at', '=', retiredAt)
    .whereRef('retired_at', '>', 'active_from')
    .execute()
}

async function withdrawKeys(tx: Tx, ring: KeyRing, kids: readonly string[], now: string): Promise<void> {
  await tx
    .updateTable('signing_keys')
    .set({ withdrawn_at: now, retired_at: sql<string>`least(retired_at, ${now}::timestamptz)` })
    .where('organization_id', '=', ring.organizationId)
    .where('purpose', '=', ring.purpose)
    .where('kid', 'in', [...kids, ''])
    .execute()
}

/** Whoever changes the keys of one ring waits for each other, until the transaction ends. */
const lockRing = (tx: Tx, { organizationId, purpose }: KeyRing) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`signing keys ${organizationId}/${purpose}`}, 0))`.execute(tx)

const listKeysOf = (tx: Tx, { organizationId, purpose }: KeyRing) =>
  tx
    .selectFrom('signing_keys')
    .select(['kid', 'active_from', 'retired_at', 'withdrawn_at'])
    .where('organization_id', '=', organizationId)
    .where('purpose', '=', purpose)
    .execute()

/** The key of an identifier, of whichever organization. */
export const findKey = (db: Db, kid: string) =>
  db.selectFrom('signing_keys').selectAll().where('kid', '=', kid).executeTakeFirst()

const entryOf = ({ organizationId }: KeyRing, action: AuditAction, description: string): Entry => ({
  action,
  about: { organization: organizationId },
  description,
})

const insertKey = (
  tx: Tx,
  { organizationId, purpose }: KeyRing,
  { kid, sealed, jwk, certificate }: NewSigningKey,
  { now, activeFrom }: Moments,
) =>
  tx
    .insertInto('signing_keys')
    .values({
      organization_id: organizationId,
      purpose,
      kid,
      sealed_private_key: sealed,
      public_jwk: JSON.stringify(jwk),
      certificate,
      created_at: now,
      active_from: activeFrom,
    })
    .execute()
