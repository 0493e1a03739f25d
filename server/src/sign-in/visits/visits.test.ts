import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { baseUrl } from '../../../test/support/app.ts'
import { provingDevice, relyingParty, signInBrowser } from '../../../test/support/sign-in-browser.ts'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { registerDevice } from '../../administration/registrations/register-device.ts'
import { companionTypes, listCompanionTypes } from '../../agents/packages/companion-platforms.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { changeConnection } from '../connections/change-connection.ts'
import { dropIdleSessions } from '../sessions/drop-idle-sessions.ts'

const { stage, make, change, setUp, addKey, epochOf, arrive, addStillUpstream, proveIn, finishPath, tokensOf } =
  signInStage()

const eventsOf = async () =>
  (await stage.db.selectFrom('auth_log_events').select('type').orderBy('position').execute()).map(({ type }) => type)

test('a person with a good device gets into the application, which learns what was proved', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  assert.match(visit.path, /^\/signin\/[0-9a-f]{24}$/)
  assert.match(visit.reply.text, /Checking this computer/)
  assert.deepEqual(await proveIn(visit, all), { status: 200, state: 'passed' })
  const { away = '' } = await visit.follow(await finishPath(visit))
  assert.match(away, /^https:\/\/app\.example\/callback\?code=/)
  const { body } = await tokensOf(all, away)
  const jwks = JSON.parse((await visit.go('/signin/oidc/jwks')).text) as JSONWebKeySet
  const { payload } = await jwtVerify(body['id_token'] ?? '', createLocalJWKSet(jwks), {
    issuer: `${baseUrl}/signin/oidc`,
    audience: all.connection.clientId,
    currentDate: new Date(),
  })
  assert.equal(payload['acr'], 'urn:muster:device:compliant')
  assert.deepEqual(payload['amr'], ['swk', 'pop'])
  assert.deepEqual(payload['device_context'], { managed: true, compliant: true, externalId: all.device.id })
  const logs = await stage.db.selectFrom('auth_logs').select(['result', 'person_id', 'device_id']).execute()
  assert.deepEqual(logs, [{ result: 'Success', person_id: all.person.id, device_id: all.device.id }])
  assert.deepEqual(await eventsOf(), ['sign_in_attempt', 'agent_detection_success', 'sign_in_success'])
})

test('every request is a device check of its own, also with the cookies of the one before', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await proveIn(visit, all)
  await visit.follow(await finishPath(visit))
  const request = await all.rp.signedRequest(all.connection.clientId, { login_hint: 'ana@example.com' })
  const { path, away } = await visit.follow(all.rp.addressOf(request))
  assert.equal(away, undefined)
  assert.match(path, /^\/signin\/[0-9a-f]{24}$/)
  assert.notEqual(path, visit.path)
})

test('another person signs in with the same browser right after', async () => {
  const all = await setUp()
  const first = await arrive(all)
  await proveIn(first, all)
  await first.follow(await finishPath(first))
  const { organizationId } = all
  const ben = await make.person(organizationId, { email: 'ben@example.com' })
  const device = await make.device(organizationId, { name: 'ben-x1' })
  const companion = await addKey(device.id)
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: device.id, personId: ben.id }, change()))
  const request = await all.rp.signedRequest(all.connection.clientId, { login_hint: 'ben@example.com' })
  const { path } = await first.follow(all.rp.addressOf(request))
  const post = (what: string, body: object = {}) => first.go(`${path}/${what}`, { method: 'POST', body })
  const challenge = async () => (JSON.parse((await post('challenge')).text) as { challenge: string }).challenge
  const second = { ...first, path, post, challenge }
  assert.deepEqual(await proveIn(second, { companion }), { status: 200, state: 'passed' })
  assert.match((await second.follow(await finishPath(second))).away ?? '', /code=/)
})

test('a blocked device waits on the page and passes once it is fixed', async () => {
  const all = await setUp({ authState: 'blocked' })
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'blocked')
  const page = await visit.go(visit.path)
  assert.match(page.text, /to open Payroll/)
  assert.equal(/data-finish=/.test(page.text), false)
  const details = /href="([^"]+finish)"/.exec(page.text)
  assert.equal(details, null)
  assert.equal((await visit.post('recheck')).status, 200)
  await stage.db.updateTable('devices').set({ auth_state: 'good' }).execute()
  const { away = '' } = await visit.follow(await finishPath(visit))
  assert.match(away, /code=/)
  assert.deepEqual((await eventsOf()).includes('device_blocked'), true)
})

test('a first device is registered on the page, once, however often the button is pressed', async () => {
  const all = await setUp({ isRegistered: false })
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'register')
  await Promise.all(Array.from({ length: 10 }, () => visit.post('register')))
  const owned = await stage.db.selectFrom('devices').select('registered_owner_id').execute()
  assert.deepEqual(owned, [{ registered_owner_id: all.person.id }])
  const audits = await stage.db
    .selectFrom('audit_logs')
    .select('actor_type')
    .where('action', '=', 'device.registered')
    .execute()
  assert.deepEqual(audits, [{ actor_type: 'Person' }])
  assert.match((await visit.follow(await finishPath(visit))).away ?? '', /code=/)
})

test('a device of somebody else does not pass, and its owner is not named', async () => {
  const all = await setUp()
  const other = await make.person(all.organizationId, { email: 'ben@example.com' })
  const visit = await arrive(all, other.email)
  assert.equal((await proveIn(visit, all)).state, 'not_your_device')
  const { text } = await visit.go(visit.path)
  assert.match(text, /registered to someone else/)
  assert.doesNotMatch(text, /\bana\b/)
})

test('proofs that are replayed, of other sign-ins, late, forged or relayed are refused, with the reason', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const other = await arrive(all)
  const epoch = await epochOf(all.companion.kid)
  const refused = async (proof: string, detail: string, { at = visit, code = 'proof_invalid' } = {}) => {
    const { status, text } = await at.post('proof', { proof })
    assert.deepEqual([status, JSON.parse(text)], [403, { error: { code, detail } }])
  }
  const challenge = await visit.challenge()
  const good = await all.companion.prove(challenge, epoch)
  await refused(good, 'wrong_session', { at: other })
  await refused(`${good.slice(0, -6)}AAAAAA`, 'invalid_signature')
  await refused(await all.companion.prove(challenge, epoch, {}, { typ: 'JWT' }), 'wrong_type')
  await refused(await all.companion.prove(challenge, epoch, { aud: 'https://evil.example' }), 'wrong_origin')
  await refused(await (await provingDevice()).prove(challenge, epoch), 'unknown_key')
  await refused(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`, 'wrong_type')
  assert.equal((await visit.post('proof', { proof: good })).status, 200)
  await refused(good, 'unknown_nonce')
  const late = await all.companion.prove(await visit.challenge(), epoch)
  stage.setNow(new Date(Date.parse(stage.now()) + 61_000).toISOString())
  await refused(late, 'expired')
  const relayed = await all.companion.prove(await other.challenge(), epoch, { peer: { uid: 0, program: 'sshd' } })
  await refused(relayed, 'relayed', { at: other, code: 'proof_relayed' })
  assert.match((await other.go(other.path)).text, /Muster was asked by another program/)
})

test('a sign-in is for the browser that began it, and for pages of ours', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const thief = signInBrowser(stage.app)
  assert.equal((await thief.go(visit.path)).status, 403)
  assert.equal((await thief.go(`${visit.path}/challenge`, { method: 'POST', body: {} })).status, 403)
  const posted = async (headers: Record<string, string>) =>
    (await visit.go(`${visit.path}/challenge`, { method: 'POST', body: {}, headers })).status
  assert.equal(await posted({ origin: 'https://evil.example' }), 403)
  assert.equal(await posted({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }), 403)
  assert.equal(await posted({ origin: 'null', 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(await posted({ origin: 'null' }), 403)
  // A form of our own page, which sends no referrer.
  assert.equal(await posted({ origin: 'null', 'sec-fetch-site': 'same-origin' }), 200)
  await proveIn(visit, all)
  assert.equal((await thief.go(await finishPath(visit))).status, 403)
  const { headers } = await visit.go(visit.path)
  assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'none'/)
  assert.equal(headers['referrer-policy'], 'no-referrer')
})

test('requests that are not signed, signed by others, or lead elsewhere are refused without a redirect', async () => {
  const all = await setUp()
  const { clientId } = all.connection
  const browser = signInBrowser(stage.app)
  const outcome = async (parameters: Record<string, string>) => {
    const { reply, away, path } = await browser.follow(all.rp.addressOf(parameters))
    return away ? new URL(away).searchParams.get('error') : path.startsWith('/signin/oidc/auth') ? reply.status : path
  }
  assert.equal(await outcome(all.rp.plainRequest(clientId, { login_hint: 'ana@example.com' })), 'invalid_request')
  const another = await relyingParty()
  assert.notEqual(typeof (await outcome(await another.signedRequest(clientId))), 'undefined')
  assert.equal(await outcome(await all.rp.signedRequest(clientId, { redirect_uri: 'https://evil.example/' })), 400)
  assert.equal(await outcome(await all.rp.signedRequest('nobody')), 400)
  assert.equal(await outcome(await all.rp.signedRequest(clientId, { prompt: 'none' })), 'interaction_required')
  assert.deepEqual(await stage.db.selectFrom('signin_sessions').selectAll().execute(), [])
})

test('sixty sign-ins that nobody vouches for yet begin in ten minutes of one network; idle ones are dropped', async () => {
  const all = await setUp({ connection: { upstreamId: await addStillUpstream() } })
  const arriveOnce = async () => (await arrive(all, 'ana@example.com', false)).reply.status
  const statuses: number[] = []
  for (let count = 0; count < 62; count += 1) statuses.push(await arriveOnce())
  assert.deepEqual(statuses.slice(58), [303, 303, 429, 429])
  assert.deepEqual(await stage.db.selectFrom('auth_logs').selectAll().execute(), [])
  const after = (minutes: number) => plusMs(stage.now(), minutes * 60_000)
  assert.equal(await dropIdleSessions(stage.db, after(14)), 0)
  assert.equal(await dropIdleSessions(stage.db, after(15)), 60)
})

test('an office behind one address signs in, more than sixty in ten minutes', async () => {
  const all = await setUp()
  for (let count = 0; count < 70; count += 1) assert.equal((await arrive(all)).reply.status, 200)
})

test('observe lets a blocked device in, truthfully, and a disabled connection nobody', async () => {
  const all = await setUp({ authState: 'blocked' })
  const set = (mode: 'observe' | 'disabled') =>
    transact(stage.db, (tx) => changeConnection(tx, { id: all.connection.id, mode }, change()))
  await set('observe')
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'observed')
  const { away = '' } = await visit.follow(await finishPath(visit))
  const { body } = await tokensOf(all, away)
  const claims = JSON.parse(Buffer.from(body['id_token']?.split('.')[1] ?? '', 'base64url').toString()) as object
  assert.deepEqual((claims as { device_context: object }).device_context, {
    ...{ managed: true, compliant: false, externalId: all.device.id },
  })
})

test('the person may cancel, and the application hears that', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const { headers } = await visit.post('cancel')
  const { away = '' } = await visit.follow(headers['location'] ?? '')
  assert.equal(new URL(away).searchParams.get('error'), 'access_denied')
})

const chrome = (system: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36`
const systems = [
  { type: 'Mac', name: 'macOS', agent: chrome('Macintosh; Intel Mac OS X 10_15_7') },
  { type: 'Windows', name: 'Windows', agent: chrome('Windows NT 10.0; Win64; x64') },
  { type: 'Linux', name: 'Linux', agent: chrome('X11; Linux x86_64') },
] as const

const isInstallable = /Muster isn’t answering[\s\S]*Ask IT for the installer/
const nodeOf = { Mac: { system: 'darwin-arm64' }, Windows: { system: 'win-x64' } } as const
const anyNode = {
  ...{ node_version: '26.10.0', source: 'npm' as const, sha256: 'a', md5: 'b', size: 1, needs_libatomic: false },
  ...{ license: null, lowest_macos: null, packed_sha256: 'c', packed_size: 1, added_at: '2026-11-20T10:00:00.000Z' },
}

/** What a person with such a browser reads where no companion answers. */
async function unansweredPage(agent: string): Promise<string> {
  const visit = await arrive(await setUp())
  await stage.db.updateTable('signin_sessions').set({ user_agent: agent }).execute()
  await visit.post('undetected', { reason: 'agent_not_found' })
  return (await visit.go(visit.path)).text
}

for (const { type, name, agent } of systems) {
  test(`a browser on ${name} is told where to get the app, or that there is none for it`, async () => {
    const isMade = (await listCompanionTypes(stage.db)).includes(type)
    const text = await unansweredPage(agent)
    if (isMade) assert.match(text, isInstallable)
    else assert.match(text, new RegExp(`There’s no Muster app for ${name} yet[\\s\\S]*You have a computer with Linux`))
  })

  if (type === 'Linux' || !companionTypes.includes(type)) continue
  test(`where the server has a Node for ${name}, its browsers are told that there is an app`, async () => {
    assert.equal((await listCompanionTypes(stage.db)).includes(type), false)
    await stage.db
      .insertInto('package_runtimes')
      .values({ ...nodeOf[type], ...anyNode })
      .execute()
    try {
      assert.match(await unansweredPage(agent), isInstallable)
    } finally {
      await stage.db.deleteFrom('package_runtimes').execute()
    }
  })
}
