import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, randomBytes, sign, verify, X509Certificate } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../test/support/database.ts'
import { makeIn, startOfTests } from '../../test/support/make.ts'
import { until } from '../../test/support/muster-process.ts'
import { systemChange } from '../base/change-context.ts'
import { transact } from '../base/db/transact.ts'
import { openSecrets } from '../base/secrets/secrets.ts'
import { plusMs } from '../base/time.ts'
import { recordAudit } from '../signals/audit/record-audit.ts'
import { tokenSigner } from '../signals/streams/token-signer.ts'
import { heldKeys } from './held-keys.ts'
import { type KeyRing, keyPurposeNames, keyPurposes } from './key-purposes.ts'
import { ensureSigningKey, nothingWaits, rotateSigningKey, withdrawSigningKey } from './rotate-signing-key.ts'
import { sealPrivateKey, unsealPrivateKey } from './seal-private-key.ts'
import { findSigningKey, listSigningKeys, publishedSet, stateOfKey } from './signing-keys.ts'

const database = testDatabase()
const make = makeIn(database)
const secrets = openSecrets(randomBytes(32))
const hour = (count: number) => plusMs(startOfTests, count * 3_600_000)
const day = (count: number) => hour(24 * count)
let ring: KeyRing

beforeEach(async () => {
  await database.ready
  await database.reset()
  ring = { organizationId: (await make.organization()).id, purpose: 'signals' }
})

const kidsAt = async (now: string, { organizationId } = ring) =>
  (await publishedSet(database.db, { organizationId, purpose: 'signals' }, now)).map(({ kid }) => kid)
const kidAt = async (now: string, of = ring) => (await findSigningKey(database.db, of, now))?.kid
const rotate = (now: string, isEmergency = false, of = ring) =>
  rotateSigningKey(
    database.db,
    secrets,
    { ring: of, isEmergency, resign: nothingWaits, record: recordAudit },
    systemChange(of.organizationId, now),
  )
const withdraw = (kid: string, now: string) =>
  withdrawSigningKey(
    database.db,
    secrets,
    { kid, resign: nothingWaits, record: recordAudit },
    systemChange(ring.organizationId, now),
  )
const stateAt = async (kid: string, now: string) => {
  const key = (await listSigningKeys(database.db)).find((one) => one.kid === kid)
  return key && stateOfKey(key, now)
}

test('an organization has one key from its first use on, however many processes start', async () => {
  await Promise.all([1, 2, 3].map(() => ensureSigningKey(database.db, secrets, ring, startOfTests)))
  const [key, ...others] = await publishedSet(
    database.db,
    { organizationId: ring.organizationId, purpose: 'signals' },
    startOfTests,
  )
  assert.deepEqual(others, [])
  assert.deepEqual(Object.keys(key ?? {}).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  assert.equal(await kidAt(startOfTests), key?.kid)
  assert.ok(!JSON.stringify(await database.db.selectFrom('signing_keys').selectAll().execute()).includes('PRIVATE'))
})

test('who asks for the first key by clocks that differ by moments gets the same one', async () => {
  const clocks = [0, -1, -5_000, -1, 3_000].map((ms) => plusMs(startOfTests, ms))
  const keys = heldKeys(database.db, secrets)
  const of = { organizationId: ring.organizationId, purpose: 'challenge' } as const
  const signing = await Promise.all(clocks.map((now) => keys.signing(of, now)))
  assert.equal(new Set(signing.map(({ kid }) => kid)).size, 1)
  assert.equal((await listSigningKeys(database.db)).length, 1)
})

test('each organization has keys of its own, and a private key opens in no other place', async () => {
  const other: KeyRing = { organizationId: (await make.organization()).id, purpose: 'signals' }
  for (const one of [ring, other]) await ensureSigningKey(database.db, secrets, one, startOfTests)
  assert.notDeepEqual(await kidsAt(startOfTests), await kidsAt(startOfTests, other))
  const stolen = await database.db
    .selectFrom('signing_keys')
    .select('sealed_private_key')
    .where('organization_id', '=', ring.organizationId)
    .executeTakeFirstOrThrow()
  await database.db
    .updateTable('signing_keys')
    .set(stolen)
    .where('organization_id', '=', other.organizationId)
    .execute()
  await assert.rejects(tokenSigner(database.db, secrets).sign(other, {}, startOfTests), { name: 'UnsealError' })
})

test('a new key is published two hours before it signs, and the old one for a month after', async () => {
  await ensureSigningKey(database.db, secrets, ring, startOfTests)
  const [old = ''] = await kidsAt(startOfTests)
  const { kid, activeFrom } = await rotate(hour(1))
  assert.equal(activeFrom, hour(3))
  assert.deepEqual((await kidsAt(hour(1))).sort(), [old, kid].sort())
  assert.equal(await kidAt(plusMs(hour(3), -1)), old)
  assert.equal(await kidAt(hour(3)), kid)
  assert.deepEqual((await kidsAt(day(31))).sort(), [old, kid].sort())
  assert.deepEqual(await kidsAt(day(32)), [kid])
})

test('in an emergency the new key signs at once, and the old one is out of the key set in the same moment', async () => {
  await ensureSigningKey(database.db, secrets, ring, startOfTests)
  const [old = ''] = await kidsAt(startOfTests)
  const { kid: waiting } = await rotate(hour(1))
  const { kid, withdrawn } = await rotate(hour(2), true)
  assert.equal(await kidAt(hour(2)), kid)
  assert.deepEqual(withdrawn.sort(), [old, waiting].sort())
  assert.deepEqual(await kidsAt(hour(2)), [kid])
  assert.equal(await stateAt(old, hour(2)), 'withdrawn')
  const audited = await database.db.selectFrom('audit_logs').select('description').execute()
  assert.equal(audited.filter(({ description }) => description.startsWith('Replaced the signing key')).length, 1)
})

test('a rotation that waits is overtaken by the next, and there is a key at every moment', async () => {
  await ensureSigningKey(database.db, secrets, ring, startOfTests)
  await rotate(hour(1))
  const last = await rotate(hour(2), true)
  for (const at of [hour(2), hour(3), hour(4), day(3)]) assert.equal(await kidAt(at), last.kid, at)
})

test('a key is withdrawn in whatever state it is, and there is a key at every moment', async () => {
  await ensureSigningKey(database.db, secrets, ring, startOfTests)
  const [first = ''] = await kidsAt(startOfTests)
  const { kid: waiting } = await rotate(hour(1))
  await withdraw(waiting, hour(2))
  assert.deepEqual(await kidsAt(hour(2)), [first])
  for (const at of [hour(2), hour(3), day(40)]) assert.equal(await kidAt(at), first, at)

  const { kid: second } = await rotate(hour(4))
  assert.equal(await stateAt(first, hour(7)), 'retired')
  await withdraw(first, hour(7))
  assert.deepEqual(await kidsAt(hour(7)), [second])

  const { kid: third } = await withdraw(second, hour(8))
  assert.deepEqual(await kidsAt(hour(8)), [third])
  assert.equal(await kidAt(hour(8)), third)
  await assert.rejects(withdraw(second, hour(9)), { code: 'invalid' })
  await assert.rejects(withdraw('unknown', hour(9)), { code: 'not_found' })
})

test('a key that this process holds signs no more than ten seconds after it was withdrawn, and at once when asked', async () => {
  const signer = tokenSigner(database.db, secrets)
  const before = await signer.sign(ring, {}, startOfTests)
  const { kid } = await rotate(startOfTests, true)
  assert.equal((await signer.sign(ring, {}, startOfTests)).kid, before.kid)
  assert.equal((await signer.sign(ring, {}, startOfTests, { isFresh: true })).kid, kid)
  assert.equal((await signer.sign(ring, {}, startOfTests)).kid, kid)
})

test('the key and the set of a ring are read once in ten seconds, of whatever purpose', async () => {
  const held = heldKeys(database.db, secrets)
  for (const purpose of keyPurposeNames) {
    const of: KeyRing = { ...ring, purpose }
    const { kid, privateKey } = await held.signing(of, startOfTests)
    const [published, ...others] = await held.published(of, startOfTests)
    assert.deepEqual(others, [])
    assert.deepEqual([published?.kid, published?.alg], [kid, keyPurposes[purpose].algorithm])
    const publicKey = createPublicKey({ key: { ...published }, format: 'jwk' })
    const signature = sign('sha256', Buffer.from('text'), privateKey)
    assert.ok(verify('sha256', Buffer.from('text'), publicKey, signature), purpose)
    // With no row left, whatever is answered was held.
    await database.db.deleteFrom('signing_keys').execute()
    const last = plusMs(startOfTests, 9_999)
    assert.equal((await held.signing(of, last)).kid, kid)
    assert.equal((await held.published(of, last))[0]?.kid, kid)
    assert.notEqual((await held.published(of, plusMs(startOfTests, 10_000)))[0]?.kid, kid)
  }
})

test('a token verifies by the published key that its header names, also across a rotation', async () => {
  await ensureSigningKey(database.db, secrets, ring, startOfTests)
  const signer = tokenSigner(database.db, secrets)
  await rotate(hour(1))
  const kids = new Set<unknown>()
  for (const now of [hour(1), plusMs(hour(3), -1), hour(3), hour(4)]) {
    const { token } = await signer.sign(ring, { iss: 'https://trust.example', jti: now }, now)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const { kid, alg, typ } = JSON.parse(Buffer.from(header, 'base64url').toString())
    assert.deepEqual([alg, typ], ['RS256', 'secevent+jwt'])
    const jwk = (
      await publishedSet(database.db, { organizationId: ring.organizationId, purpose: 'signals' }, now)
    ).find((key) => key.kid === kid)
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
    const isValid = verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))
    assert.ok(isValid, now)
    assert.equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).jti, now)
    kids.add(kid)
  }
  assert.equal(kids.size, 2)
})

testOnPostgres('a rotation waits for another of its ring alone', async () => {
  const other: KeyRing = { organizationId: (await make.organization()).id, purpose: 'signals' }
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const name = `signing keys ${ring.organizationId}/${ring.purpose}`
  const holding = transact(database.db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
    held.resolve()
    await release.promise
  })
  await held.promise
  await rotate(hour(1), false, { ...ring, purpose: 'entra' })
  await rotate(hour(1), false, other)
  const waiting = rotate(hour(1))
  await until(30_000, async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
    return rows.length > 0
  })
  assert.deepEqual(await kidsAt(hour(1)), [])
  release.resolve()
  await holding
  const { kid } = await waiting
  assert.deepEqual(await kidsAt(hour(1)), [kid])
})

test('a certified key is named by the thumbprint of its certificate', async () => {
  const of = { organizationId: ring.organizationId, purpose: 'entra' } as const
  const held = heldKeys(database.db, secrets)
  const { kid } = await held.signing(of, startOfTests)
  const [published, ...others] = await held.published(of, startOfTests)
  assert.deepEqual([published?.kid, published?.x5t, others.length], [kid, kid, 0])
  const certificate = new X509Certificate(Buffer.from(published?.x5c?.[0] ?? '', 'base64'))
  assert.equal(kid, Buffer.from(certificate.fingerprint.replaceAll(':', ''), 'hex').toString('base64url'))
})

test('a certified key that has another name is replaced by one that verifiers have two days to fetch', async () => {
  const of = { organizationId: ring.organizationId, purpose: 'entra' } as const
  await ensureSigningKey(database.db, secrets, of, startOfTests)
  // As keys were made before: sealed for their name.
  const made = await findSigningKey(database.db, of, startOfTests)
  const der = unsealPrivateKey(secrets, made?.sealed_private_key ?? Buffer.of(), { ...of, kid: made?.kid ?? '' })
  const sealed = sealPrivateKey(secrets, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }), {
    ...of,
    kid: 'a-uuid',
  })
  await database.db.updateTable('signing_keys').set({ kid: 'a-uuid', sealed_private_key: sealed }).execute()

  const upgraded = day(1)
  // Several processes start at once.
  const starts = [1, 2, 3].map(() => heldKeys(database.db, secrets).signing(of, upgraded))
  assert.deepEqual(new Set((await Promise.all(starts)).map(({ kid }) => kid)), new Set(['a-uuid']))
  const at = async (now: string) => {
    const fresh = heldKeys(database.db, secrets)
    const { kid } = await fresh.signing(of, now)
    return { kid, published: (await fresh.published(of, now)).map((key) => [key.kid, key.kid === key.x5t]) }
  }
  const [, next] = (await at(upgraded)).published
  const name = String(next?.[0])
  const both = [
    ['a-uuid', false],
    [name, true],
  ]
  assert.deepEqual(await at(plusMs(upgraded, 48 * 3_600_000 - 1)), { kid: 'a-uuid', published: both })
  assert.deepEqual(await at(plusMs(upgraded, 48 * 3_600_000)), { kid: name, published: both.toReversed() })
  assert.deepEqual((await at(plusMs(upgraded, 71 * 3_600_000))).published.length, 2, 'its tokens have ended long ago')
  assert.deepEqual((await at(plusMs(upgraded, 73 * 3_600_000))).published, [[name, true]])
})
