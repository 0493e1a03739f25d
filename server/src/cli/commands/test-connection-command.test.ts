import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { testApp } from '../../../test/support/app.ts'
import { startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { makeIn } from '../../../test/support/make.ts'
import { freePort } from '../../../test/support/muster-process.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { addCompanionKey } from '../../agents/companion-keys/add-companion-key.ts'
import { transact } from '../../base/db/transact.ts'
import { markOfRequest } from '../../sign-in/oidc/mark-of-request.ts'
import { newConnectionCommands } from './add-connection-commands.ts'
import { connectionCommands } from './connection-commands.ts'
import { upstreamCommands } from './upstream-commands.ts'

const now = '2026-11-20T10:00:00.000Z'
const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const issuer = `${baseUrl}/signin/oidc`
const trial = testApp({
  env: { MUSTER_BASE_URL: baseUrl, MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' },
  hasAgents: true,
})
const make = makeIn(trial)
const run = commandsOn(trial, now)
const signer = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = { ...signer.publicKey.export({ format: 'jwk' }), kid: 'payroll-2026' }
const redirectUri = 'https://payroll.example/callback'

before(async () => {
  await trial.ready
  await trial.app.listen({ port, host: '127.0.0.1' })
})
beforeEach(() => trial.reset())

const provider = await startHostileProvider()
after(() => provider.stop())

const only = () => trial.db.selectFrom('signin_connections').select(['id', 'client_id']).executeTakeFirstOrThrow()

async function addPayroll() {
  const asked = { name: 'Payroll', redirectUris: [redirectUri], requestKeys: JSON.stringify({ keys: [jwk] }) }
  await run(newConnectionCommands.secondStep, { ...asked, isEnforcing: true })
  return only()
}

/** Someone with a device that was heard of just now. */
async function addPerson(name: string, authState: 'good' | 'blocked' = 'good') {
  const { organizationId } = trial.tenant
  const person = await make.person(organizationId, { name })
  const device = await make.device(organizationId, { registered_owner_id: person.id })
  await trial.db.updateTable('devices').set({ auth_state: authState }).where('id', '=', device.id).execute()
  const key = { organizationId, kid: `kid-${name}`, jwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }, now } as const
  const facts = { isBundled: true, hardwareUuid: null, serial: name, hostname: name, platform: 'linux' }
  await transact(trial.db, (tx) => addCompanionKey(tx, key, { ...facts, agentVersion: '1' }))
  const linked = { device_id: device.id, status: 'linked' } as const
  await trial.db.updateTable('companion_keys').set(linked).where('kid', '=', key.kid).execute()
  return person
}

/** What a test said, by name; of several lines of one name all. */
async function tested(id: string, request?: string) {
  const { exit, out } = await run(connectionCommands.test, { id, ...(request !== undefined && { request }) })
  const lines = out.trimEnd().split('\n')
  return { exit, out, lines, said: (name: string) => lines.filter((line) => line.slice(2).startsWith(`${name}:`)) }
}

test('people can get through a connection whose issuer answers and whose keys are there', async () => {
  const { id } = await addPayroll()
  const person = await addPerson('Ana')
  const log = { person_id: person.id, connection_id: id, started_at: '2026-11-20T09:00:00.000Z' }
  await make.authLog(trial.tenant.organizationId, { ...log, result: 'Success' })
  const { exit, lines } = await tested(id)
  const { kid } = await trial.db
    .selectFrom('signing_keys')
    .select('kid')
    .where('purpose', '=', 'oidc')
    .executeTakeFirstOrThrow()
  assert.deepEqual(lines, [
    `✓ address: ${baseUrl}`,
    `✓ discovery: ${issuer} answers`,
    `✓ signing key: ${kid} signs ID tokens, and is in the key set`,
    '✓ request keys: 1 by ES256',
    '✓ mode: enforce',
    '✓ people: none of 1 is refused today',
    '✓ last sign-in: 2026-11-20T09:00:00.000Z',
  ])
  assert.equal(exit, 0)
})

test('a connection that is disabled lets nobody in, and one that observes or is paused refuses no device', async () => {
  const { id } = await addPayroll()
  await addPerson('Ana', 'blocked')
  const enforced = await tested(id)
  assert.equal(enforced.exit, 1)
  assert.deepEqual(enforced.said('people'), ['✗ people: 1 of 1 is refused today: 1 with a blocked device'])
  assert.deepEqual(enforced.said('last sign-in'), ['! last sign-in: nobody got in within 30 days'])
  await run(connectionCommands.pause, { id, minutes: 60, reason: 'an outage\u001b[2J' })
  const paused = await tested(id)
  assert.equal(paused.exit, 0)
  assert.match(
    paused.said('mode')[0] ?? '',
    /^! mode: paused until 2026-11-20T11:00:00.000Z, .*: an outage\u{FFFD}\[2J$/u,
  )
  assert.deepEqual(paused.said('people'), [
    '! people: 1 of 1 would be refused today if it were not paused: 1 with a blocked device',
  ])
  const later = await commandsOn(trial, '2026-11-20T11:00:00.000Z')(connectionCommands.test, { id })
  assert.match(later.out, /^✓ mode: enforce$/m, 'a pause ends by itself')
  assert.match(later.out, /^✗ people: 1 of 1 is refused today: /m)
  await run(connectionCommands.observe, { id })
  const observed = await tested(id)
  assert.equal(observed.exit, 0)
  assert.match(observed.said('mode')[0] ?? '', /^! mode: observe/)
  const wouldBe = ['! people: 1 of 1 would be refused today if it enforces: 1 with a blocked device']
  assert.deepEqual(observed.said('people'), wouldBe)
  await run(connectionCommands.disable, { id, confirm: 'Payroll' })
  const disabled = await tested(id)
  assert.equal(disabled.exit, 1)
  assert.match(disabled.said('mode')[0] ?? '', new RegExp(`^✗ mode: disabled, .*muster connections enforce ${id}$`))
  assert.deepEqual(disabled.said('people'), wouldBe)
})

test('an address of before that no application can send is named', async () => {
  const { id } = await addPayroll()
  const redirects = [redirectUri, 'https://*.payroll.example/callback']
  await trial.db.updateTable('signin_connections').set({ redirect_uris: redirects }).where('id', '=', id).execute()
  assert.deepEqual((await tested(id)).said('redirect address'), [
    `! redirect address: must be a complete address, without wildcards (*): ${redirects[1]}`,
  ])
})

test('some who are refused are counted by reason, and nobody at all is a fault', async () => {
  const { id } = await addPayroll()
  const empty = await tested(id)
  assert.equal(empty.exit, 1)
  assert.match(empty.said('people')[0] ?? '', /^✗ people: there are none/)
  await addPerson('Ana')
  await addPerson('Bo', 'blocked')
  await make.person(trial.tenant.organizationId, { name: 'Cy' })
  const { exit, said } = await tested(id)
  const words = '1 without a registered device, 1 with a blocked device'
  assert.deepEqual(said('people'), [`! people: 2 of 3 are refused today: ${words}`])
  assert.equal(exit, 0)
})

test('request keys that cannot be read by the pinned algorithm are a fault', async () => {
  const { id } = await addPayroll()
  await addPerson('Ana')
  await trial.db.updateTable('signin_connections').set({ request_algorithm: 'RS256' }).execute()
  const { exit, said } = await tested(id)
  assert.deepEqual([exit, said('request keys').length], [1, 1])
  assert.match(said('request keys')[0] ?? '', /^✗ request keys: they cannot be used by RS256/)
})

test('a connection of Microsoft Entra is tested at its own issuer with its own key', async () => {
  const tenantId = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
  const app = { name: 'Microsoft 365', tenantIds: [tenantId], appId: 'c0a81d52-6e4f-4b9a-a3d7-18f5e2b96c04' }
  await run(newConnectionCommands.entra, app)
  const { id } = await only()
  await addPerson('Ana')
  const { exit, said } = await tested(id)
  const { kid } = await trial.db
    .selectFrom('signing_keys')
    .select('kid')
    .where('purpose', '=', 'entra')
    .executeTakeFirstOrThrow()
  assert.deepEqual(said('discovery'), [`✓ discovery: ${baseUrl}/signin/entra/${id} answers`])
  assert.deepEqual(said('signing key'), [`✓ signing key: ${kid} signs ID tokens, and is in the key set`])
  assert.deepEqual([exit, said('request keys')], [0, []])
  await assert.rejects(tested(id, 'a.b.c'), { exitCode: 2, message: /need no signature/ })
})

test('where people cannot sign in at the address, no issuer is asked', async () => {
  const { id } = await addPayroll()
  await addPerson('Ana')
  const elsewhere = commandsOn({ ...trial, config: { ...trial.config, baseUrl: 'http://muster.example' } }, now)
  const { exit, out } = await elsewhere(connectionCommands.test, { id })
  assert.equal(exit, 1)
  assert.match(out, /^✗ address: People cannot sign in at http:\/\/muster\.example/)
  assert.doesNotMatch(out, /discovery/)
})

const seconds = Date.parse(now) / 1_000

async function requestOf(clientId: string, more: JWTPayload = {}): Promise<string> {
  const claims = {
    ...{ iss: clientId, client_id: clientId, aud: issuer, iat: seconds, jti: 'r-1', login_hint: 'ana@example.com' },
    ...{ response_type: 'code', scope: 'openid', redirect_uri: redirectUri, code_challenge_method: 'S256' },
    ...{ code_challenge: 'a'.repeat(43), ...more },
  }
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'payroll-2026' }).sign(signer.privateKey)
}

test('a signed request is judged without being used up, until it was used', async () => {
  const { id, client_id: clientId } = await addPayroll()
  await addPerson('Ana')
  const request = await requestOf(clientId)
  for (let times = 0; times < 2; times += 1) {
    const { exit, said } = await tested(id, `${request}\n`)
    assert.deepEqual([exit, said('request')], [0, ['✓ request: it would begin a sign-in, and is not used up']])
  }
  const second = Date.parse(now) / 1000
  const ahead = await tested(id, await requestOf(clientId, { jti: 'r-0', iat: second + 2, nbf: second + 2 }))
  assert.deepEqual(ahead.said('clock of the caller'), [
    "! clock of the caller: the caller's clock is at least 2 s ahead: set it by NTP. Requests may be 300 s ahead",
  ])
  assert.equal(ahead.exit, 0)
  const seen = { organization_id: trial.tenant.organizationId, connection_id: id, seen_at: now }
  await trial.db
    .insertInto('signin_requests_seen')
    .values({ ...seen, request_hash: markOfRequest({ jti: 'r-1' }, request) })
    .execute()
  const again = await tested(id, request)
  assert.equal(again.exit, 1)
  assert.match(again.said('request')[0] ?? '', /^✗ request: it was used before/)
  assert.equal((await tested(id, await requestOf(clientId, { jti: 'r-2' }))).exit, 0)
})

test('each fault of a request is a line, and nothing that stands in the request is printed', async () => {
  const { id, client_id: clientId } = await addPayroll()
  await addPerson('Ana')
  const secret = 'ana.of-the-request@example.com'
  const request = await requestOf(clientId, { aud: secret, login_hint: '', redirect_uri: secret, sub: secret })
  const { exit, out, said } = await tested(id, request)
  assert.deepEqual(said('request'), [
    `✗ request: aud must contain the issuer, ${issuer}`,
    `✗ request: redirect_uri must be one of ${redirectUri}`,
    '✗ request: login_hint must be the e-mail address of the person',
  ])
  assert.equal(exit, 1)
  for (const part of [secret, ...request.split('.')]) assert.ok(!out.includes(part))
  for (const text of ['', 'no request', `${request}.x.y`]) {
    assert.match((await tested(id, text)).said('request')[0] ?? '', /must be a signed JWT in the compact form/)
  }
})

test('keys that a caller publishes are read, and said to be gone where they are', async () => {
  provider.reset()
  const requestKeys = `${provider.issuer}/jwks`
  await run(newConnectionCommands.secondStep, { name: 'Payroll', redirectUris: [redirectUri], requestKeys })
  const { id } = await only()
  assert.deepEqual((await tested(id)).said('published keys'), [`✓ published keys: 1 at ${requestKeys}`])
  provider.endpoints.clear()
  const { exit, said } = await tested(id)
  assert.equal(exit, 1)
  assert.deepEqual(said('published keys'), ['✗ published keys: request_keys_url must answer with 200, not with 404'])
})

test('the upstream of an application is asked whether it answers', async () => {
  provider.reset()
  const clientSecret = 'a-secret-of-the-tests'
  await run(upstreamCommands.create, { name: 'Example ID', issuer: provider.issuer, clientId: 'muster', clientSecret })
  const { id: upstreamId } = await trial.db.selectFrom('signin_upstreams').select('id').executeTakeFirstOrThrow()
  await run(newConnectionCommands.application, { name: 'Wiki', redirectUris: [redirectUri], upstreamId })
  const { id } = await only()
  assert.deepEqual((await tested(id)).said('upstream'), [`✓ upstream: Example ID answers at ${provider.issuer}`])
  provider.endpoints.clear()
  const { exit, said } = await tested(id)
  assert.equal(exit, 1)
  assert.match(said('upstream').join(), /✗ upstream: issuer must answer at/)
})

test('a request that was refused is said with what to do, until someone has got in since', async () => {
  const { id } = await addPayroll()
  const { organizationId } = trial.tenant
  const refused_at = '2026-11-20T09:00:00.000Z'
  await trial.db
    .insertInto('signin_refusals')
    .values({ organization_id: organizationId, connection_id: id, reason: 'client_secret', refused_at })
    .execute()
  const refusal = async () => (await tested(id)).said('last refusal')
  const [said] = await refusal()
  assert.match(
    said ?? '',
    /^! last refusal: 2026-11-20T09:00:00\.000Z: .* client secret.* Enter the client secret there/,
  )
  const person = await addPerson('Ana')
  const signIn = { person_id: person.id, connection_id: id, result: 'Success' } as const
  await make.authLog(organizationId, { ...signIn, started_at: '2026-11-20T08:59:00.000Z' })
  assert.equal((await refusal()).length, 1)
  await make.authLog(organizationId, { ...signIn, started_at: '2026-11-20T09:01:00.000Z' })
  assert.deepEqual(await refusal(), [])
})
