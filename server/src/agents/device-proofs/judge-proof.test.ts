import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { SignJWT } from 'jose'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { provingDevice } from '../../../test/support/sign-in-browser.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { plusMs } from '../../base/time.ts'
import { heldKeys } from '../../keys/held-keys.ts'
import { addCompanionKey } from '../companion-keys/add-companion-key.ts'
import { linkCompanion } from '../companion-keys/link-companion.ts'
import { dropOldChallenges, giveChallenge } from './give-challenge.ts'
import { judgeProof } from './judge-proof.ts'

const database = testDatabase()
const make = makeIn(database)
const secrets = openSecrets(randomBytes(32))
const origin = 'https://muster.example.com'
const sid = 'a-sign-in'
let now = startOfTests
let organizationId = ''

beforeEach(async () => {
  await database.reset()
  now = startOfTests
  organizationId = (await make.organization()).id
})

const db = () => database.db
const facts = { isBundled: false, hardwareUuid: null, hostname: 'x', platform: 'linux', agentVersion: '1' }

async function keyOf(ofId: string, deviceId: string | undefined) {
  const device = await provingDevice()
  const { kid, jwk } = device
  await transact(db(), async (tx) => {
    const key = { organizationId: ofId, kid, jwk: jwk as never, now }
    await addCompanionKey(tx, key, { ...facts, serial: kid })
    if (deviceId !== undefined) await linkCompanion(tx, { kid, deviceId }, systemChange(ofId, now))
  })
  const epoch = async () =>
    (await db().selectFrom('companion_keys').select('epoch').where('kid', '=', kid).executeTakeFirstOrThrow()).epoch
  const prove = async (challenge: string, more?: object, header?: object) =>
    device.prove(challenge, await epoch(), more, header)
  return { ...device, prove }
}

async function linkedDevice(ofId = organizationId) {
  const { id: deviceId } = await make.device(ofId, { name: 'ana-x1' })
  return { deviceId, key: await keyOf(ofId, deviceId) }
}

const challengeOf = (ofSid = sid, ofId = organizationId) =>
  giveChallenge({ db: db(), signingKeys: heldKeys(db(), secrets) }, { organizationId: ofId, sid: ofSid, origin, now })

const judge = (proof: string, asked: object = {}) =>
  transact(db(), (tx) => judgeProof(tx, { organizationId, sid, origin, now, ...asked }, proof))

const openChallenges = async (ofSid = sid): Promise<number> =>
  (await db().selectFrom('companion_challenges').select('sid').where('sid', '=', ofSid).execute()).length

const nothing = { port: null, isToBrowser: false, people: null, network: null }
const bytesOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const payloadOf = (jws: string) =>
  JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as Record<string, string>

test('a device proves itself once with a challenge', async () => {
  const { deviceId, key } = await linkedDevice()
  await db().updateTable('companion_keys').set({ port: 42_761, network: '198.51.100.7' }).execute()
  const more = { peer: { uid: 1000, program: 'firefox' }, people: 2 }
  const proof = await key.prove(await challengeOf(), more)
  assert.deepEqual(await judge(proof), {
    ...{ deviceId, says: ' to a browser of user 1000', port: 42_761 },
    ...{ isToBrowser: true, people: 2, network: '198.51.100.7' },
  })
  assert.deepEqual(await judge(proof), { refusal: 'unknown_nonce' })
  assert.equal(await openChallenges(), 0)
  for (const program of ['com.apple.WebKit.Networking', 'Google Chrome Helper', 'firefox', 'curl']) {
    const judged = await judge(await key.prove(await challengeOf(), { peer: { uid: 501, program } }))
    assert.equal('isToBrowser' in judged && judged.isToBrowser, program !== 'curl', program)
  }
  const { seen_twice_at: seenTwiceAt } = await db()
    .selectFrom('companion_keys')
    .select('seen_twice_at')
    .executeTakeFirstOrThrow()
  assert.equal(seenTwiceAt, null)
})

test('a proof with anything changed is refused with the reason of the protocol document, and uses nothing up', async () => {
  const { key } = await linkedDevice()
  const challenge = await challengeOf()
  const good = await key.prove(challenge)
  const { kid, jwk } = key
  const header = { alg: 'ES256', typ: 'muster-proof+jwt', kid }
  const [, , signature] = good.split('.')
  const hmac = (secret: string) =>
    new SignJWT(payloadOf(good)).setProtectedHeader({ ...header, alg: 'HS256' }).sign(new TextEncoder().encode(secret))
  const other = await provingDevice()
  const foreign = await linkedDevice((await make.organization()).id)
  const refused: [string, string, string][] = [
    ['nonce', await key.prove(challenge, { nonce: randomBytes(32).toString('base64url') }), 'unknown_nonce'],
    ['sid', await key.prove(challenge, { sid: 'another-sign-in' }), 'wrong_session'],
    ['aud', await key.prove(challenge, { aud: 'https://evil.example' }), 'wrong_origin'],
    ['kid of nobody', await key.prove(challenge, {}, { kid: other.kid }), 'unknown_key'],
    ['kid of another organization', await foreign.key.prove(challenge), 'unknown_key'],
    ['key of somebody else', await other.prove(challenge, 'e', {}, { kid }), 'invalid_signature'],
    ['alg none', `${bytesOf({ ...header, alg: 'none' })}.${bytesOf(payloadOf(good))}.`, 'wrong_algorithm'],
    ['alg HS256 with the public key', await hmac(JSON.stringify(jwk)), 'wrong_algorithm'],
    ['typ', await key.prove(challenge, {}, { typ: 'muster-challenge+jwt' }), 'wrong_type'],
    ['no signature', `${bytesOf(header)}.${bytesOf(payloadOf(good))}.`, 'invalid_signature'],
    [
      'a payload of its own',
      `${bytesOf(header)}.${bytesOf({ ...payloadOf(good), epoch: 'x' })}.${signature}`,
      'invalid_signature',
    ],
    ['no epoch', await key.prove(challenge, { epoch: undefined }), 'malformed'],
    ['nonce that is no text', await key.prove(challenge, { nonce: 7 }), 'malformed'],
    ['longer than 2 kB', await key.prove(challenge, { padding: 'x'.repeat(2_000) }), 'malformed'],
    ['the challenge', challenge, 'wrong_type'],
    ['nothing', '', 'malformed'],
  ]
  for (const [what, proof, refusal] of refused) assert.deepEqual(await judge(proof), { refusal }, what)
  assert.equal(await openChallenges(), 1)
  assert.equal('deviceId' in (await judge(good)), true)
})

test('a challenge that was changed or is 61 seconds old is refused, and used up', async () => {
  const { key } = await linkedDevice()
  const changed = await key.prove(await challengeOf(), { challenge_hash: 'A'.repeat(43) })
  assert.deepEqual(await judge(changed), { refusal: 'wrong_challenge' })
  const late = await key.prove(await challengeOf())
  const last = await key.prove(await challengeOf())
  now = plusMs(startOfTests, 59_999)
  assert.equal('deviceId' in (await judge(last)), true)
  now = plusMs(startOfTests, 61_000)
  assert.deepEqual(await judge(late), { refusal: 'expired' })
  assert.equal(await openChallenges(), 0)
})

test('a nonce of another sign-in is not spent by one that it is not for', async () => {
  const { key } = await linkedDevice()
  const proof = await key.prove(await challengeOf('first'))
  assert.deepEqual(await judge(proof, { sid: 'second' }), { refusal: 'wrong_session' })
  const moved = await key.prove(await challengeOf('third'), { sid: 'second' })
  assert.deepEqual(await judge(moved, { sid: 'second' }), { refusal: 'unknown_nonce' })
  assert.deepEqual([await openChallenges('first'), await openChallenges('third')], [1, 1])
  assert.equal('deviceId' in (await judge(proof, { sid: 'first' })), true)
})

test('a key that is not linked, or was replaced, speaks for no device', async () => {
  const { deviceId, key } = await linkedDevice()
  const unlinked = await keyOf(organizationId, undefined)
  assert.deepEqual(await judge(await unlinked.prove(await challengeOf())), { refusal: 'not_linked' })
  const before = await key.prove(await challengeOf())
  await keyOf(organizationId, deviceId)
  assert.deepEqual(await judge(before), { refusal: 'unknown_key' })
})

test('a deleted device is refused at once, and proves itself again when it is restored', async () => {
  const { deviceId, key } = await linkedDevice()
  const set = (deletedAt: string | null) =>
    db().updateTable('devices').set({ deleted_at: deletedAt }).where('id', '=', deviceId).execute()
  await set(now)
  assert.deepEqual(await judge(await key.prove(await challengeOf())), { refusal: 'device_deleted' })
  await set(null)
  assert.equal('deviceId' in (await judge(await key.prove(await challengeOf()))), true)
  const last = await key.prove(await challengeOf())
  await db().deleteFrom('devices').where('id', '=', deviceId).execute()
  assert.deepEqual(await judge(last), { refusal: 'unknown_key' }, 'purged')
})

test('a program that passes connections on is no browser', async () => {
  const { key } = await linkedDevice()
  for (const program of [
    'sshd',
    'sshd-session',
    'socat',
    'wslrelay.exe',
    'SSHD',
    'com.docker.backend',
    'OrbStack Helper',
  ]) {
    const proof = await key.prove(await challengeOf(), { peer: { uid: 0, program } })
    assert.deepEqual(await judge(proof), { refusal: 'relayed' }, program)
  }
  for (const peer of [null, { uid: 1000, program: null }, { uid: 1000, program: 'chrome' }, 'sshd']) {
    assert.equal('deviceId' in (await judge(await key.prove(await challengeOf(), { peer }))), true)
  }
})

test('a spent epoch is noted and judged by nobody; the device proves its link again', async () => {
  const { deviceId, key } = await linkedDevice()
  const proof = await key.prove(await challengeOf(), { epoch: 'of-a-restored-backup' })
  assert.deepEqual(await judge(proof), { deviceId, says: ' to a browser of an unknown user', ...nothing })
  const row = await db()
    .selectFrom('companion_keys')
    .select(['seen_twice_at', 'link_name', 'status'])
    .executeTakeFirstOrThrow()
  assert.deepEqual([row.seen_twice_at, row.status], [now, 'linked'])
  assert.notEqual(row.link_name, null)
})

test('the clock of the device decides nothing', async () => {
  const { deviceId, key } = await linkedDevice()
  const iat = Math.floor(Date.parse(now) / 1000) - 26 * 3_600
  const proof = await key.prove(await challengeOf(), { iat })
  assert.deepEqual(await judge(proof), {
    deviceId,
    says: ' to a browser of an unknown user; its clock is 1560 minutes behind',
    ...nothing,
  })
})

test('six challenges of one sign-in are open at most: the latest, and old ones are dropped', async () => {
  const { key } = await linkedDevice()
  const first = await key.prove(await challengeOf())
  for (let given = 0; given < 8; given += 1) {
    now = plusMs(now, 10)
    await challengeOf()
  }
  await challengeOf('another')
  assert.equal(await openChallenges(), 6)
  assert.deepEqual(await judge(first), { refusal: 'unknown_nonce' })
  await dropOldChallenges(db(), plusMs(now, 59_000))
  assert.equal(await openChallenges(), 6)
  await dropOldChallenges(db(), plusMs(now, 60_000))
  assert.deepEqual([await openChallenges(), await openChallenges('another')], [0, 0])
})

test('of one proof that is judged many times at once one counts', async () => {
  const { key } = await linkedDevice()
  const proof = await key.prove(await challengeOf())
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => judge(proof)))
  assert.equal(outcomes.filter((one) => 'deviceId' in one).length, 1)
})
