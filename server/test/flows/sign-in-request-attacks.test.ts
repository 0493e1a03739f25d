import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { baseUrl } from '../support/app.ts'
import { relyingParty } from '../support/sign-in-browser.ts'
import { wholeSignIn } from '../support/whole-sign-in.ts'

const { agents, database, setUp, arrive, addConnection, newBrowser, onPage, record, tokensOf, make, addCompanion } =
  wholeSignIn()

type SetUp = Awaited<ReturnType<typeof setUp>>

const sessions = () => database.db.selectFrom('signin_sessions').selectAll().execute()

/** What becomes of a request: the error that its application hears, or the status that the browser sees here. */
async function outcomeOf({ rp }: Pick<SetUp, 'rp'>, parameters: Record<string, string>) {
  const { reply, away } = await newBrowser().follow(rp.addressOf(parameters))
  if (away === undefined) return reply.status
  const { origin, search, hash } = new URL(away)
  return `${origin} ${new URLSearchParams(search || hash.slice(1)).get('error')}`
}

/** The request is refused, and no sign-in begins. */
async function beginsNothing(all: Pick<SetUp, 'rp'>, parameters: Record<string, string>, expected: unknown[]) {
  const before = [await record(), await sessions()]
  const outcome = await outcomeOf(all, parameters)
  assert.ok(expected.includes(outcome), `${JSON.stringify(parameters).slice(0, 300)}: ${outcome}`)
  assert.deepEqual([await record(), await sessions()], before)
}

const told = 'https://app.example invalid_request_object'

test('an address of an application counts only letter by letter, and nobody is redirected to another', async () => {
  const all = await setUp()
  const { clientId } = all.connection
  const others = [
    ...['https://app.example/callback/', 'https://app.example/callback?x=1', 'https://app.example/callback#x'],
    ...['https://app.example/Callback', 'https://APP.example/callback', 'https://app.example:8443/callback'],
    ...['http://app.example/callback', 'https://app.example/callback/../evil', 'https://app.example/%63allback'],
    ...['https://app.example@evil.example/callback', 'https://evil.example/?https://app.example/callback'],
    ...['https://app.example.evil.example/callback', '//app.example/callback', 'javascript:alert(1)'],
    ...['https://app.example/callback ', 'https://app.example\\@evil.example/callback', 'data:text/html,x'],
  ]
  for (const address of others) {
    await beginsNothing(all, await all.rp.signedRequest(clientId, { redirect_uri: address }), [400])
  }
  const beside = await all.rp.signedRequest(clientId, { login_hint: 'ana@example.com' })
  const { away } = await newBrowser().follow(all.rp.addressOf({ ...beside, redirect_uri: 'https://evil.example/' }))
  assert.equal(away, undefined)
})

test('a request that is not signed, or not by the keys of its application, begins no sign-in', async () => {
  const all = await setUp()
  const { clientId, clientSecret = '' } = all.connection
  const another = await relyingParty()
  const hint = { login_hint: 'ana@example.com' }
  const claims = { ...all.rp.plainRequest(clientId, hint), iss: clientId, aud: `${baseUrl}/signin/oidc` }
  const jwt = (changed: object = {}) =>
    new SignJWT({ ...claims, iat: now(), exp: now() + 300, ...changed } as never).setProtectedHeader({
      ...{ alg: 'HS256', typ: 'oauth-authz-req+jwt', kid: 'rp' },
    })
  const unsigned = `${bytesOf({ alg: 'none', kid: 'rp' })}.${bytesOf(claims)}.`
  const publicText = JSON.stringify(all.rp.jwk)
  const attempts = [
    all.rp.plainRequest(clientId, hint),
    await another.signedRequest(clientId, hint),
    { client_id: clientId, request: unsigned },
    { client_id: clientId, request: await jwt().sign(new TextEncoder().encode(clientSecret)) },
    { client_id: clientId, request: await jwt().sign(new TextEncoder().encode(publicText)) },
    { client_id: clientId, request: await jwt().sign(new TextEncoder().encode(all.rp.jwk['n'] ?? '')) },
    { client_id: clientId, request: 'nonsense' },
    { ...all.rp.plainRequest(clientId, hint), request_uri: 'https://evil.example/request' },
  ]
  for (const attempt of attempts) {
    const outcomes = [400, told, 'https://app.example invalid_request', 'https://app.example request_uri_not_supported']
    await beginsNothing(all, attempt, outcomes)
  }
})

test('a request object that has ended, or is for another server or application, begins no sign-in', async () => {
  const all = await setUp()
  const other = await addConnection(all.organizationId, { name: 'Wiki' })
  const { clientId } = all.connection
  const hint = { login_hint: 'ana@example.com' }
  const { privateKey } = all.rp.keys
  const sign = (changed: Record<string, unknown>) =>
    new SignJWT({
      ...{ ...all.rp.plainRequest(clientId, hint), iss: clientId, aud: `${baseUrl}/signin/oidc` },
      ...{ iat: now(), exp: now() + 300, ...changed },
    } as never)
      .setProtectedHeader({ alg: 'RS256', kid: 'rp', typ: 'oauth-authz-req+jwt' })
      .sign(privateKey)
  const attempts = [
    await sign({ exp: now() - 60 }),
    await sign({ iat: now() - 7_200, exp: now() - 3_600 }),
    await sign({ nbf: now() + 3_600 }),
    await sign({ aud: 'https://evil.example' }),
    await sign({ iss: other.connection.clientId }),
    await sign({ client_id: other.connection.clientId }),
    await sign({ request: 'nested' }),
  ]
  for (const request of attempts) await beginsNothing(all, { client_id: clientId, request }, [400, told])
  const ofOther = await other.rp.signedRequest(other.connection.clientId, hint)
  await beginsNothing(all, { ...ofOther, client_id: clientId }, [400, told])
  const { id: foreignId } = await make.organization()
  const foreign = await addConnection(foreignId)
  await beginsNothing(foreign, await foreign.rp.signedRequest(foreign.connection.clientId, hint), [400])
})

test('a person beside the signed request is ignored: who is signed counts', async () => {
  const all = await setUp()
  const signed = await all.rp.signedRequest(all.connection.clientId, { login_hint: 'ben@example.com' })
  const beside = { ...signed, login_hint: 'ana@example.com', sub: 'ana', acr_values: 'x', max_age: '1' }
  const visit = await onPage(newBrowser(), all.rp.addressOf(beside))
  assert.equal((await visit.prove(await all.laptop.prove(await visit.challenge()))).state, 'not_your_device')
  assert.deepEqual(
    (await sessions()).map(({ subject }) => subject),
    ['ben@example.com'],
  )
  const nobody = await all.rp.signedRequest(all.connection.clientId)
  await beginsNothing(all, { ...nobody, login_hint: 'ana@example.com' }, [told])
  assert.equal((await record()).answered, 0)
})

test('a signed request begins one sign-in, whoever sends it again', async () => {
  const all = await setUp()
  const request = await all.rp.signedRequest(all.connection.clientId, { login_hint: 'ana@example.com' })
  const first = await onPage(newBrowser(), all.rp.addressOf(request))
  for (const browser of [newBrowser(), first.browser]) {
    await beginsNothing(all, request, [told])
    const { away = '' } = await browser.follow(all.rp.addressOf(request))
    assert.equal(new URL(away).searchParams.get('error_description'), 'the request object was used before')
  }
  const many = Array.from({ length: 20 }, () => outcomeOf(all, request))
  assert.deepEqual([...new Set(await Promise.all(many))], [told])
  assert.equal((await sessions()).length, 1)
  assert.equal((await first.prove(await all.laptop.prove(await first.challenge()))).state, 'passed')
})

/** A sign-in that has passed, and the code that its application has got. */
async function signedIn(all: SetUp): Promise<string> {
  // Four answers within two minutes are a loop.
  agents.pass(60)
  const visit = await arrive(all)
  await visit.prove(await all.laptop.prove(await visit.challenge()))
  const { away = '' } = await visit.browser.follow((await visit.finishPath()) ?? '')
  return new URL(away).searchParams.get('code') ?? ''
}

test('a code is for its application, its verifier and its address, and counts once', async () => {
  const all = await setUp()
  const other = await addConnection(all.organizationId, { name: 'Wiki' })
  const errorOf = async (...asked: Parameters<typeof tokensOf>) => {
    const { status, body } = await tokensOf(...asked)
    assert.ok(status === 400 || status === 401, JSON.stringify(body))
    return body['error']
  }
  assert.equal(
    await errorOf(all, await signedIn(all), { code_verifier: randomBytes(32).toString('base64url') }),
    'invalid_grant',
  )
  assert.equal(await errorOf(all, await signedIn(all), { code_verifier: '' }), 'invalid_grant')
  assert.equal(await errorOf(all, await signedIn(all), { redirect_uri: 'https://evil.example/' }), 'invalid_grant')
  assert.equal(await errorOf({ ...all, connection: other.connection }, await signedIn(all)), 'invalid_grant')
  assert.equal(await errorOf(all, await signedIn(all), {}, `${all.connection.clientId}:guessed`), 'invalid_client')
  assert.equal(await errorOf(all, 'guessed'), 'invalid_grant')
  const code = await signedIn(all)
  const { status, body } = await tokensOf(all, code)
  assert.equal(status, 200)
  assert.equal(await errorOf(all, code), 'invalid_grant')
  const me = await newBrowser().go('/signin/oidc/me', { headers: { authorization: `Bearer ${body['access_token']}` } })
  assert.equal(me.status, 401, 'what the code had given ends with it')
})

test('of one code that is redeemed many times at once, one counts at most, and nothing of it is left', async () => {
  const all = await setUp()
  for (let round = 0; round < 8; round += 1) {
    const code = await signedIn(all)
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => tokensOf(all, code)))
    const given = outcomes.filter(({ status }) => status === 200)
    assert.ok(given.length <= 1, outcomes.map(({ status }) => status).join(' '))
    for (const { body } of given) {
      const authorization = `Bearer ${body['access_token']}`
      assert.equal((await newBrowser().go('/signin/oidc/me', { headers: { authorization } })).status, 401)
    }
  }
  assert.deepEqual(await database.db.selectFrom('oidc_records').select('kind').execute(), [])
})

test('a code of one organization is nothing at another', async () => {
  const all = await setUp()
  const { id: foreignId } = await make.organization({ base_url: 'https://globex.muster.test' })
  const foreign = await addConnection(foreignId)
  await addCompanion(foreignId, { uuid: '4C4C4544-0042-3510-8056-0000000000FF', serial: 'PF0000FF' })
  const { status, body } = await tokensOf(foreign, await signedIn(all))
  assert.ok(status === 400 || status === 401)
  assert.ok(['invalid_grant', 'invalid_client'].includes(body['error'] ?? ''))
})

test('codes without a challenge of a public client, and other ways to ask for tokens, are refused', async () => {
  const all = await setUp()
  const open = await addConnection(all.organizationId, { name: 'App', isPublic: true })
  const { clientId } = open.connection
  const ask = async (changed: Record<string, string>) =>
    beginsNothing(open, await open.rp.signedRequest(clientId, changed), [
      ...[400, 'https://app.example invalid_request', 'https://app.example unsupported_response_type'],
      ...['https://app.example unsupported_response_mode', 'https://app.example interaction_required'],
      ...['https://app.example invalid_scope', told],
    ])
  await ask({ code_challenge: '' })
  await ask({ code_challenge_method: 'plain' })
  for (const type of ['token', 'id_token', 'code id_token', 'none']) await ask({ response_type: type })
  await ask({ prompt: 'none' })
})

test('NUL in an address, a form or a signed request is the fault of whoever sends it', async () => {
  const all = await setUp()
  const nul = encodeURIComponent('a\0b')
  const paths = ['auth/:', 'auth?client_id=:', 'session/end?client_id=:']
  const addresses = [...paths.map((path) => `/signin/oidc/${path}`), '/signin/entra/1/finish/:', '/signin/upstream?x=:']
  for (const address of addresses) {
    const { status } = await newBrowser().go(address.replace(':', nul))
    assert.equal(status, address.includes('?') ? 422 : 404, address)
  }
  for (const changed of [{ state: 'a\0b' }, { login_hint: 'a\0b' }]) {
    await beginsNothing(all, await all.rp.signedRequest(all.connection.clientId, changed), [
      told.replace('_object', ''),
    ])
  }
  assert.equal((await tokensOf(all, 'a\0b')).status, 400)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: undefined }
  const body = `grant_type=authorization_code&code=a&client_id=${nul}`
  assert.equal((await newBrowser().go('/signin/oidc/token', { method: 'POST', body, headers })).status, 401)
})

const now = () => Math.floor(Date.now() / 1000)
const bytesOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
