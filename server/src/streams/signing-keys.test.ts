import assert from 'node:assert/strict'
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../test/support/database.ts'
import { startOfTests } from '../../test/support/make.ts'
import { plusMs } from '../issues/rules.ts'
import { openSecrets } from '../secrets/secrets.ts'
import { ensureSigningKey, findSigningKey, listPublishedKeys, rotateSigningKey } from './signing-keys.ts'
import { tokenSigner } from './token-signer.ts'

const database = testDatabase()
const secrets = openSecrets(randomBytes(32))
const hour = (count: number) => plusMs(startOfTests, count * 3_600_000)
const day = (count: number) => hour(24 * count)

beforeEach(async () => {
  await database.ready
  await database.reset()
})

const kidsAt = async (now: string) => (await listPublishedKeys(database.db, now)).map(({ kid }) => kid)

test('a deployment has one key from its first start on, however many processes start', async () => {
  await Promise.all([1, 2, 3].map(() => ensureSigningKey(database.db, secrets, startOfTests)))
  const [key, ...others] = await listPublishedKeys(database.db, startOfTests)
  assert.deepEqual(others, [])
  assert.deepEqual(Object.keys(key ?? {}).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  assert.equal((await findSigningKey(database.db, startOfTests))?.kid, key?.kid)
  assert.ok(!JSON.stringify(await database.db.selectFrom('signing_keys').selectAll().execute()).includes('PRIVATE'))
})

test('a new key is published two hours before it signs, and the old one for a month after', async () => {
  await ensureSigningKey(database.db, secrets, startOfTests)
  const [old = ''] = await kidsAt(startOfTests)
  const { kid, activeFrom } = await rotateSigningKey(database.db, secrets, { now: hour(1), isEmergency: false })
  assert.equal(activeFrom, hour(3))
  assert.deepEqual((await kidsAt(hour(1))).sort(), [old, kid].sort())
  assert.equal((await findSigningKey(database.db, plusMs(hour(3), -1)))?.kid, old)
  assert.equal((await findSigningKey(database.db, hour(3)))?.kid, kid)
  assert.deepEqual((await kidsAt(day(31))).sort(), [old, kid].sort())
  assert.deepEqual(await kidsAt(day(32)), [kid])
})

test('in an emergency the new key signs at once', async () => {
  await ensureSigningKey(database.db, secrets, startOfTests)
  const { kid } = await rotateSigningKey(database.db, secrets, { now: hour(1), isEmergency: true })
  assert.equal((await findSigningKey(database.db, hour(1)))?.kid, kid)
})

test('a rotation that waits is overtaken by the next, and there is a key at every moment', async () => {
  await ensureSigningKey(database.db, secrets, startOfTests)
  await rotateSigningKey(database.db, secrets, { now: hour(1), isEmergency: false })
  const last = await rotateSigningKey(database.db, secrets, { now: hour(2), isEmergency: true })
  for (const at of [hour(2), hour(3), hour(4), day(3)]) {
    assert.equal((await findSigningKey(database.db, at))?.kid, last.kid, at)
  }
})

test('a token verifies by the published key that its header names, also across a rotation', async () => {
  await ensureSigningKey(database.db, secrets, startOfTests)
  const signer = tokenSigner(database.db, secrets)
  await rotateSigningKey(database.db, secrets, { now: hour(1), isEmergency: false })
  const kids = new Set<unknown>()
  for (const now of [hour(1), plusMs(hour(3), -1), hour(3), hour(4)]) {
    const token = await signer.sign({ iss: 'https://trust.example', jti: now }, now)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const { kid, alg, typ } = JSON.parse(Buffer.from(header, 'base64url').toString())
    assert.deepEqual([alg, typ], ['RS256', 'secevent+jwt'])
    const jwk = (await listPublishedKeys(database.db, now)).find((key) => key.kid === kid)
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
    const isValid = verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))
    assert.ok(isValid, now)
    assert.equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).jti, now)
    kids.add(kid)
  }
  assert.equal(kids.size, 2)
})
