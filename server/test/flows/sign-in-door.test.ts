import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { sql } from 'kysely'
import { deprovisionPerson } from '../../src/administration/registrations/deprovision-person.ts'
import { systemClock } from '../../src/base/clock.ts'
import { transact } from '../../src/base/db/transact.ts'
import { dayMs, minuteMs, plusMs } from '../../src/base/time.ts'
import { dropSeenRequests } from '../../src/sign-in/sessions/drop-idle-sessions.ts'
import { baseUrl } from '../support/app.ts'
import { relyingParty, signInBrowser } from '../support/sign-in-browser.ts'
import { signInStage } from '../support/sign-in-stage.ts'

const { stage, make, change, setUp, addStillUpstream, arrive, proveIn, finishPath, tokensOf } = signInStage()

// The provider's library judges `exp` by the system's clock.
beforeEach(() => stage.setNow(systemClock()))

type SetUp = Awaited<ReturnType<typeof setUp>>

const ana = { login_hint: 'ana@example.com' }
const seconds = (shiftMs = 0) => Math.floor((Date.parse(stage.now()) + shiftMs) / 1000)

/** A request object with just these times, signed as the connection wants it. */
async function signed({ rp, connection }: SetUp, times: Record<string, unknown>, more: Record<string, string> = ana) {
  const claims = { ...rp.plainRequest(connection.clientId, more), iss: connection.clientId }
  const request = await new SignJWT({ ...claims, aud: `${baseUrl}/signin/oidc`, ...times } as never)
    .setProtectedHeader({ alg: 'RS256', kid: 'rp', typ: 'oauth-authz-req+jwt' })
    .sign(rp.keys.privateKey)
  return rp.addressOf({ client_id: connection.clientId, request })
}

/** What becomes of a request in a browser of its own: the error that its caller hears, or the page that it leads to. */
async function outcomeOf(address: string): Promise<string> {
  const { away, path, reply } = await signInBrowser(stage.app).follow(address)
  if (away === undefined) return path.startsWith('/signin/oidc') ? String(reply.status) : 'page'
  return new URL(away).searchParams.get('error') ?? 'code'
}

/** Everything that a sign-in leaves. */
async function kept() {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*) from signin_sessions)::int as sessions, (select count(*) from auth_logs)::int as logs,
    (select count(*) from events where type like 'auth_logs.%')::int as told, (select count(*) from oidc_records)::int as records,
    (select count(*) from signin_requests_seen)::int as seen`.execute(stage.db)
  return rows[0]
}

const nothing = { sessions: 0, logs: 0, told: 0, records: 0, seen: 0 }

test('a signed request is of now, and says until when it is good, or it is refused and leaves nothing', async () => {
  const all = await setUp()
  const year = 365 * 24 * 3_600
  const refused = {
    'neither iat nor exp': {},
    'iat 6 minutes ago': { iat: seconds(-6 * minuteMs) },
    'iat 6 minutes ahead': { iat: seconds(6 * minuteMs), exp: seconds(10 * minuteMs) },
    'exp passed': { iat: seconds(-2 * minuteMs), exp: seconds(-11_000) },
    'exp in a year': { iat: seconds(), exp: seconds() + year },
    'exp in a year, without iat': { exp: seconds() + year },
    'iat a year ago, exp in a year': { iat: seconds() - year, exp: seconds() + year },
    'iat in words': { iat: 'now' },
    'nbf 6 minutes ahead': { iat: seconds(), nbf: seconds(6 * minuteMs) },
  }
  for (const [title, times] of Object.entries(refused)) {
    assert.equal(await outcomeOf(await signed(all, times)), 'invalid_request_object', title)
  }
  assert.deepEqual(await kept(), nothing)
  const accepted = [
    { iat: seconds() },
    { exp: seconds(9 * minuteMs) },
    { iat: seconds(-4 * minuteMs), exp: seconds(5 * minuteMs) },
    { iat: seconds(4 * minuteMs), nbf: seconds(4 * minuteMs), exp: seconds(5 * minuteMs) },
    { iat: seconds(-2 * minuteMs), exp: seconds(-8_000) },
  ]
  for (const times of accepted) assert.equal(await outcomeOf(await signed(all, times)), 'page')
})

test('a request vouches for a person inside its signature, or begins nothing', async () => {
  const all = await setUp()
  const iat = { iat: seconds() }
  const beside = async (more: Record<string, string>) => `${await signed(all, iat, {})}&${new URLSearchParams(more)}`
  for (const address of [
    await signed(all, iat, {}),
    await signed(all, iat, { login_hint: ' ' }),
    await beside(ana),
    await beside({ sub: 'ana@example.com', id_token_hint: 'x' }),
  ]) {
    assert.equal(await outcomeOf(address), 'invalid_request_object')
  }
  assert.equal(await outcomeOf(all.rp.addressOf(all.rp.plainRequest(all.connection.clientId, ana))), 'invalid_request')
  assert.equal(await outcomeOf(await signed(all, iat, { ...ana, state: 'x'.repeat(8_000) })), 'invalid_request')
  assert.deepEqual(await kept(), nothing)
})

test('a request begins one sign-in, at once and sixteen minutes later, by its jti or by what was signed', async () => {
  const all = await setUp()
  for (const jti of ['once', undefined]) {
    const times = { iat: seconds(4 * minuteMs), exp: seconds(14 * minuteMs) }
    const address = await signed(all, { ...times, ...(jti && { jti }) })
    const many = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(address)))
    assert.deepEqual(many.toSorted(), [...Array.from({ length: 4 }, () => 'invalid_request_object'), 'page'])
    assert.equal(await outcomeOf(`${address}#again`), 'invalid_request_object')
  }
  const same = await signed(all, { iat: seconds(), jti: 'once' }, { ...ana, state: 'another' })
  assert.equal(await outcomeOf(same), 'invalid_request_object')
  const before = await kept()
  const late = await signed(all, { iat: seconds(299_000), exp: seconds(899_000), jti: 'late' })
  assert.equal(await outcomeOf(late), 'page')
  for (const minutes of [9, 16]) {
    stage.setNow(plusMs(stage.now(), minutes * minuteMs))
    await dropSeenRequests(stage.db, stage.now())
    assert.equal(await outcomeOf(late), 'invalid_request_object', `after ${minutes} minutes`)
  }
  assert.equal((await kept())?.['logs'], Number(before?.['logs']) + 1)
})

test('a request that is signed again by the same key, in other letters, is the same request', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256' } as unknown as Record<string, string>
  const all = await setUp({ connection: { requestKeys: [jwk] } })
  const { clientId } = all.connection
  const claims = {
    ...all.rp.plainRequest(clientId, ana),
    iss: clientId,
    aud: `${baseUrl}/signin/oidc`,
    iat: seconds(0),
  }
  // ECDSA signs the same with another number each time.
  const sign = () => new SignJWT(claims as never).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
  const texts = [await sign(), await sign()]
  assert.notEqual(texts[0], texts[1])
  const outcomes: string[] = []
  for (const request of texts) outcomes.push(await outcomeOf(all.rp.addressOf({ client_id: clientId, request })))
  assert.deepEqual(outcomes, ['page', 'invalid_request_object'])
})

test('an application whose signed request names a colleague is sent to its upstream, and reaches no page, log or code', async () => {
  const rp = await relyingParty()
  const all = await setUp({ connection: { requestKeys: [rp.jwk], upstreamId: await addStillUpstream() } })
  const address = await signed({ ...all, rp }, { iat: seconds() })
  const browser = signInBrowser(stage.app)
  const { away = '' } = await browser.follow(address)
  assert.equal(new URL(away).origin, 'https://id.example')
  const { id, interaction_uid: uid } = await stage.db
    .selectFrom('signin_sessions')
    .select(['id', 'interaction_uid'])
    .executeTakeFirstOrThrow()
  const page = await browser.go(`/signin/${id}`)
  assert.match(page.text, /data-state="identifying"/)
  assert.doesNotMatch(page.text, /ana@example|Ana/)
  assert.equal((await browser.go(`/signin/oidc/auth/${uid}`)).headers['location'], `/signin/${id}`)
  assert.deepEqual(await kept(), { ...nothing, sessions: 1, seen: 1 })
})

test('two people sign in one after the other in one browser, and five tabs get five answers', async () => {
  const all = await setUp()
  const ben = await make.person(all.organizationId, { email: 'ben@example.com' })
  await stage.db.updateTable('devices').set({ authentication_mode: 'anyone' }).execute()
  const browser = signInBrowser(stage.app)
  const begin = async (email: string) =>
    (
      await browser.follow(
        await signed(all, { iat: seconds(), jti: `${email} ${Math.random()}` }, { login_hint: email }),
      )
    ).path
  const tabs: string[] = []
  for (const email of ['ana@example.com', ben.email, 'ana@example.com', ben.email, 'ana@example.com'])
    tabs.push(await begin(email))
  const subjects: string[] = []
  for (const path of tabs.toReversed()) {
    const post = (what: string, body: object = {}) => browser.go(`${path}/${what}`, { method: 'POST', body })
    const challenge = async () => (JSON.parse((await post('challenge')).text) as { challenge: string }).challenge
    const visit = { ...browser, path, post, challenge } as unknown as Awaited<ReturnType<typeof arrive>>
    assert.equal((await proveIn(visit, all)).state, 'passed')
    const { away = '' } = await browser.follow(await finishPath(visit))
    const { body } = await tokensOf(all, away)
    const { sub } = JSON.parse(Buffer.from(body['id_token']?.split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string
    }
    subjects.push(sub)
  }
  assert.deepEqual(
    subjects,
    [0, 1, 2, 3, 4].map((index) => subjects[index % 2]),
  )
  assert.equal(new Set(subjects).size, 2)
  assert.equal((await kept())?.['told'], 5)
  const names = [...browser.cookies.keys()]
  assert.ok(
    names.every((name) => name.includes('muster-')),
    names.join(' '),
  )
})

/** A sign-in that only needs to be answered. */
async function passed(all: SetUp) {
  const visit = await arrive(all)
  await proveIn(visit, all)
  return { visit, path: await finishPath(visit) }
}

const results = async () => {
  const { body } = await stage.ask('GET', '/auth_logs')
  return (body.data as { result: string }[]).map(({ result }) => result)
}

test('of four answers that are asked for at once one has a code, and of three redemptions at once one at most', async () => {
  const all = await setUp()
  const { visit, path } = await passed(all)
  const answers = await Promise.all(Array.from({ length: 4 }, () => visit.follow(path)))
  const codes = answers.flatMap(({ away }) => (away === undefined ? [] : [away]))
  assert.equal(codes.length, 1)
  for (const { reply, away } of answers) if (away === undefined) assert.match(reply.text, /Payroll got its answer/)
  const redeemed = await Promise.all(Array.from({ length: 3 }, () => tokensOf(all, codes[0] ?? '')))
  assert.ok(redeemed.filter(({ status }) => status !== 400).length <= 1)
  assert.deepEqual(await results(), ['Success'])
  assert.equal((await kept())?.['told'], 1)
})

test('an answer whose transaction is refused is a page to load again, and then one success', async () => {
  const all = await setUp()
  const { visit, path } = await passed(all)
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`.execute(
    stage.db,
  )
  await sql`create trigger refuse before insert on oidc_records for each row execute function refuse()`.execute(
    stage.db,
  )
  const { reply, away } = await visit.follow(path)
  assert.deepEqual([reply.status, away], [503, undefined])
  assert.match(reply.text, /Something broke on our side/)
  assert.equal(reply.headers['referrer-policy'], 'no-referrer')
  assert.deepEqual(await results(), ['Fail'])
  assert.equal((await kept())?.['told'], 0)
  await sql`drop function refuse cascade`.execute(stage.db)
  const { away: later = '' } = await visit.follow(path)
  assert.equal((await tokensOf(all, later)).status, 200)
  assert.deepEqual(await results(), ['Success'])
  assert.equal((await kept())?.['told'], 1)
})

test('a code of a person who has left is good for nothing, and neither is their token', async () => {
  const all = await setUp()
  const first = await passed(all)
  const { away: redeemed = '' } = await first.visit.follow(first.path)
  const { body } = await tokensOf(all, redeemed)
  const me = () =>
    signInBrowser(stage.app).go('/signin/oidc/me', { headers: { authorization: `Bearer ${body['access_token']}` } })
  assert.equal((await me()).status, 200)
  const { visit, path } = await passed(all)
  const { away = '' } = await visit.follow(path)
  await transact(stage.db, (tx) => deprovisionPerson(tx, { personId: all.person.id }, change()))
  assert.equal((await tokensOf(all, away)).body['error'], 'invalid_grant')
  assert.equal((await me()).status, 401)
  const rows = await stage.db.selectFrom('oidc_records').selectAll().execute()
  for (const secret of [new URL(away).searchParams.get('code') ?? '', body['access_token'] ?? '']) {
    assert.equal(JSON.stringify(rows).includes(secret), false, 'codes and tokens are kept as hashes')
  }
})

test('a code or token of a server whose clock was ahead is good for nothing', async () => {
  const all = await setUp()
  const first = await passed(all)
  const { away: redeemed = '' } = await first.visit.follow(first.path)
  const { body } = await tokensOf(all, redeemed)
  const authorization = `Bearer ${body['access_token']}`
  const me = async () => (await signInBrowser(stage.app).go('/signin/oidc/me', { headers: { authorization } })).status
  const writtenAhead = (byMs: number) =>
    stage.db
      .updateTable('oidc_records')
      .set({ expires_at: sql`expires_at + ${byMs} * interval '1 millisecond'` })
      .execute()
  await writtenAhead(50_000)
  assert.equal(await me(), 200, 'clocks differ by some seconds')
  await writtenAhead(3 * dayMs)
  assert.equal(await me(), 401)
  const { visit, path } = await passed(all)
  const { away = '' } = await visit.follow(path)
  await writtenAhead(3 * dayMs)
  assert.equal((await tokensOf(all, away)).body['error'], 'invalid_grant')
})

test('the host of a request changes no address, and a HEAD begins and answers nothing', async () => {
  const all = await setUp()
  const discovery = '/signin/oidc/.well-known/openid-configuration'
  const ask = (method: 'GET' | 'HEAD', url: string, headers: Record<string, string>) =>
    stage.app.inject({ method, url, headers: { host: 'muster.test', ...headers } })
  const plain = (await ask('GET', discovery, {})).body
  assert.match(plain, /"token_endpoint":"https:\/\/muster\.test\/signin\/oidc\/token"/)
  const methods = ['client_secret_basic', 'client_secret_post', 'none']
  assert.deepEqual(JSON.parse(plain).token_endpoint_auth_methods_supported.toSorted(), methods, 'and no assertions')
  const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', forwarded: 'host=evil.example' }
  assert.equal((await ask('GET', discovery, forwarded)).body, plain)
  assert.equal((await ask('GET', discovery, { host: 'evil.example' })).statusCode, 404)
  const arrived = await ask('GET', await signed(all, { iat: seconds() }), forwarded)
  assert.match(String(arrived.headers['location']), /^\/signin\/[0-9a-f]{24}$/)
  const before = await kept()
  assert.ok((await ask('HEAD', await signed(all, { iat: seconds() }), {})).statusCode >= 404)
  const { visit, path } = await passed(all)
  const cookie = [...visit.cookies].map((pair) => pair.join('=')).join('; ')
  const head = await ask('HEAD', path, { cookie })
  assert.ok(head.statusCode >= 404)
  assert.equal(head.headers['location'], undefined)
  assert.deepEqual(await kept(), { ...before, sessions: 2, logs: 2, seen: 2 })
  assert.match((await visit.follow(path)).away ?? '', /code=/)
})

test('what a request asks for and the sign-in does not have is an error to its caller, as often as it is asked', async () => {
  const all = await setUp({ authState: 'blocked', connection: { mode: 'observe' } })
  const acr = { essential: true, value: 'urn:muster:device:compliant' }
  const unmet = {
    unmet_authentication_requirements: { claims: JSON.stringify({ id_token: { acr } }) },
    login_required: { claims: JSON.stringify({ id_token: { sub: { value: 'somebody-else' } } }) },
  }
  for (const [error, more] of Object.entries(unmet)) {
    const visit = await arrive(all, 'ana@example.com', true, more)
    await proveIn(visit, all)
    const path = await finishPath(visit)
    for (let turn = 0; turn < 3; turn += 1) {
      const { away = '' } = await visit.follow(path)
      assert.deepEqual(
        [new URL(away).searchParams.get('error'), new URL(away).searchParams.get('state')],
        [error, 's1'],
      )
    }
  }
  const reasons = await stage.db.selectFrom('auth_logs').select(['result', 'failure_reason']).execute()
  const unmetLog = { result: 'Fail', failure_reason: 'request_unmet' }
  assert.deepEqual(reasons, [unmetLog, unmetLog])
  assert.deepEqual([(await kept())?.['told'], (await kept())?.['records']], [2, 0])
})

test('an answer by form_post is a page that its own policy lets send', async () => {
  const all = await setUp()
  const visit = await arrive(all, 'ana@example.com', true, { response_mode: 'form_post' })
  await proveIn(visit, all)
  const { reply } = await visit.follow(await finishPath(visit))
  assert.equal(reply.status, 200)
  assert.match(reply.text, /<form method="post" action="https:\/\/app\.example\/callback"/)
  const policy = reply.headers['content-security-policy'] ?? ''
  assert.match(policy, /script-src 'self' 'sha256-/)
  assert.doesNotMatch(policy, /form-action/)
  assert.equal(reply.headers['referrer-policy'], 'no-referrer')
})

test('every client needs PKCE, and gets a code by query or form alone', async () => {
  const all = await setUp()
  const iat = { iat: seconds() }
  const bare = { ...ana, code_challenge: '', code_challenge_method: '' }
  assert.equal(await outcomeOf(await signed(all, iat, bare)), 'invalid_request')
  assert.equal(await outcomeOf(await signed(all, iat, { ...ana, code_challenge_method: 'plain' })), 'invalid_request')
  const { away = '' } = await signInBrowser(stage.app).follow(
    await signed(all, iat, { ...ana, response_mode: 'fragment' }),
  )
  assert.match(away, /error=(?:invalid_request|unsupported_response_mode)/)
  assert.deepEqual(await kept(), nothing)
  const { text } = await signInBrowser(stage.app).go('/signin/oidc/.well-known/openid-configuration')
  const body = JSON.parse(text) as Record<string, unknown>
  assert.deepEqual(body['response_types_supported'], ['code'])
  assert.deepEqual(body['grant_types_supported'], ['authorization_code'])
  for (const off of [
    'pushed_authorization_request_endpoint',
    'dpop_signing_alg_values_supported',
    'registration_endpoint',
  ]) {
    assert.equal(body[off], undefined, off)
  }
})

test('an organization without a connection has no provider, and whoever asks for its keys makes none', async () => {
  // Other tests leave keys behind, since they take long to make.
  await stage.db.deleteFrom('signing_keys').execute()
  // A request to sign in looks anew whether there is one.
  for (const path of ['auth?client_id=x', 'jwks', '.well-known/openid-configuration', 'auth/x']) {
    assert.equal((await signInBrowser(stage.app).go(`/signin/oidc/${path}`)).status, 404, path)
  }
  assert.deepEqual(await stage.db.selectFrom('signing_keys').select('kid').where('purpose', '=', 'oidc').execute(), [])
})
