import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { exportJWK } from 'jose'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionMachine } from '../../../test/support/companion-client.ts'
import { companionMachines } from '../../../test/support/companion-machine.ts'
import { makeIn } from '../../../test/support/make.ts'

const agents = testAgents()
const { newCompanion, machineWithBoth, reportLink, linkedMachine } = companionMachines(agents)

beforeEach(() => agents.reset())

test('requests that are forged, changed, for another address or of unknown keys are refused', async () => {
  const both = await linkedMachine()
  const { companion } = both
  const body = JSON.stringify({ agent_version: '1', port: null, wait_seconds: 0, epoch: companion.epoch() })
  const codeOf = async (signature: string | undefined, sent = body, path = 'check_in') =>
    (await companion.post(path, sent, signature)).body.error?.code
  const sign = (claims?: Record<string, unknown>, header?: Record<string, unknown>) =>
    companion.sign('check_in', body, claims, header)
  await companion.checkIn()
  const good = await sign()
  const { origin } = agents.server
  const invalid = {
    'another signature': `${good.slice(0, -8)}AAAAAAAA`,
    'another server': await sign({ htu: 'https://evil.example/api/v1/companion/check_in' }),
    'another path': await sign({ htu: `${origin}/api/v1/companion/results` }),
    'another method': await sign({ htm: 'GET' }),
    'another body': await sign({ body_hash: 'A'.repeat(43) }),
    'no body hash': await sign({ body_hash: undefined }),
    'no jti': await sign({ jti: undefined }),
  }
  for (const [what, signature] of Object.entries(invalid)) {
    assert.equal(await codeOf(signature), 'invalid_signature', what)
  }
  assert.equal(await codeOf(good, `${body} `), 'invalid_signature')
  assert.equal(await codeOf(good, body, 'results'), 'invalid_signature')
  const [, payload] = good.split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dpop+jwt' })).toString('base64url')
  const unreadable = [undefined, '', 'x.y.z', `${none}.${payload}.`, await sign({}, { typ: 'jwt' })]
  for (const signature of [...unreadable, await sign({}, { jwk: undefined }), 'x'.repeat(3_000)]) {
    assert.equal(await codeOf(signature), 'invalid_request')
  }
  assert.equal(await codeOf(good), undefined, 'none of them has used the nonce up')
  const unknown = await newCompanion()
  assert.equal((await unknown.checkIn()).body.error?.code, 'unknown_key')
  const refused = await unknown.enroll('not a secret')
  assert.deepEqual([refused.body.error?.code, refused.asksForNonce], ['unknown_secret', false])
})

test('a request counts once, whoever sends it again, and whenever', async () => {
  const both = await linkedMachine()
  const { companion } = both
  await companion.checkIn()
  const body = JSON.stringify({ agent_version: '1', port: null, wait_seconds: 0, epoch: companion.epoch() })
  // By a name that every process of the server has.
  const htu = 'https://muster.example.com/api/v1/companion/check_in'
  const captured = await companion.sign('check_in', body, { htu })
  const elsewhere = await newCompanion(await agents.another(), companion.keys)
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, index) => (index % 2 ? companion : elsewhere).post('check_in', body, captured)),
  )
  const codes = outcomes.map(({ body: { error } }) => error?.code)
  assert.deepEqual(codes.toSorted(), [...Array.from({ length: 7 }, () => 'use_dpop_nonce'), undefined])
  for (const seconds of [0, 61, 86_400]) {
    agents.pass(seconds)
    const { status, body: answer, nonce, asksForNonce } = await companion.post('check_in', body, captured)
    assert.deepEqual([status, Object.keys(answer), asksForNonce], [401, ['error'], true], 'a nonce and nothing else')
    assert.notEqual(nonce, null)
  }
  assert.equal((await companion.checkIn()).status, 200)
})

test('an enrollment that is sent again leaves the key as it is', async () => {
  const both = await machineWithBoth()
  const body = JSON.stringify({ enroll_secret: both.secret, ...companionMachine })
  const first = await newCompanion()
  const { nonce } = await first.post('enroll', body, await first.sign('enroll', body))
  const captured = await first.sign('enroll', body, { nonce })
  assert.equal((await first.post('enroll', body, captured)).status, 200)
  agents.pass(20)
  const { name } = (await first.call('check_in', { epoch: first.epoch() })).body.link ?? {}
  await reportLink(both.client, name)
  assert.equal((await first.checkIn()).body.status, 'linked')
  for (const seconds of [0, 30, 61]) {
    agents.pass(seconds)
    const again = await first.post('enroll', body, captured)
    assert.deepEqual([again.status, again.body.error?.code], [401, 'use_dpop_nonce'])
  }
  assert.equal((await first.checkIn()).body.status, 'linked')
})

test('no clock of a companion decides: a signature has no age', async () => {
  const { companion } = await linkedMachine()
  await companion.checkIn()
  const body = JSON.stringify({ agent_version: '1', epoch: companion.epoch() })
  const signature = await companion.sign('check_in', body, { iat: 1 })
  assert.equal((await companion.post('check_in', body, signature)).status, 200)
})

test('a body that is too large is refused before it is read, and one that nobody has signed for is not read', async () => {
  const { companion } = await linkedMachine()
  await companion.checkIn()
  const large = 'x'.repeat(20_000)
  assert.equal((await companion.post('check_in', large, await companion.sign('check_in', large))).status, 413)
  assert.equal((await companion.post('check_in', large)).status, 400)
  assert.equal((await companion.checkIn()).status, 200)
})

test('a key has one name, however its coordinates are spelled', async () => {
  const companion = await newCompanion()
  const { x = '', ...jwk } = await exportJWK(companion.keys.publicKey)
  const other = x.slice(0, -1) + String.fromCharCode(x.charCodeAt(x.length - 1) + 1)
  assert.deepEqual(Buffer.from(other, 'base64url'), Buffer.from(x, 'base64url'))
  const codeOf = async (spelled: string) => {
    const signature = await companion.sign('enroll', '{}', {}, { jwk: { ...jwk, x: spelled } })
    return (await companion.post('enroll', '{}', signature)).body.error?.code
  }
  assert.deepEqual([await codeOf(x), await codeOf(other)], ['use_dpop_nonce', 'invalid_request'])
})

test('a secret that was revoked enrolls no companion, however recently it was active', async () => {
  const { id: organizationId } = await makeIn(agents.database).organization()
  const secret = await agents.enrollmentSecret(organizationId)
  assert.equal((await (await newCompanion()).enroll(secret)).status, 200)
  await agents.database.db.updateTable('enrollment_secrets').set({ revoked_at: agents.now() }).execute()
  assert.equal((await (await newCompanion()).enroll(secret)).body.error?.code, 'unknown_secret')
})
