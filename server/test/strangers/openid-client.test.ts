// Party: openid-client
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as client from 'openid-client'
import type { Laptop } from './laptop.ts'
import { loopbackBrowser } from './loopback-browser.ts'
import { openApplication, type Pending, requestKeys } from './openid-application.ts'
import { signInPlace } from './sign-in-place.ts'

const place = signInPlace()
const redirectUri = 'https://payroll.example/callback'
const hint = { login_hint: 'ana@acme.example' }
let laptop: Laptop

before(async () => {
  await place.ready
  const ana = await place.make.person(place.tenant.organizationId, { email: hint.login_hint })
  laptop = await place.tenant.addLaptop({ ownerId: ana.id })
})

type Kind = { isPublic?: boolean }

async function application({ isPublic = false }: Kind = {}) {
  const signing = await requestKeys()
  const connection = await place.tenant.addConnection({
    ...{ kind: 'second_step', name: 'Payroll', redirectUris: [redirectUri], isPublic },
    requestKeys: [signing.jwk],
  })
  const opened = await openApplication(place.tenant.issuer, connection, { redirectUri, signing })
  return { ...opened, ...connection }
}

type Application = Awaited<ReturnType<typeof application>>

/** Signs in with a browser of its own; returns where the browser is sent with the code. */
async function signIn({ address }: Pending, browser = loopbackBrowser(place.tenant.origin)): Promise<URL> {
  const visit = await browser.arrive(address)
  assert.equal((await visit.prove(laptop.port)).state, 'passed')
  const { away } = await visit.finish()
  assert.equal(away?.origin, new URL(redirectUri).origin)
  return away ?? new URL(redirectUri)
}

async function signedIn(
  app: Application,
  more: Record<string, string> = {},
  browser = loopbackBrowser(place.tenant.origin),
) {
  const pending = await app.request({ ...hint, ...more })
  const tokens = await app.take(await signIn(pending, browser), pending.checks)
  return { tokens, claims: tokens.claims() ?? assert.fail('There is no ID token') }
}

const isRefused = (error: unknown, code: string): true => {
  assert.ok(error instanceof client.ResponseBodyError, String(error))
  assert.equal(error.error, code)
  return true
}

for (const isPublic of [false, true]) {
  const kind = isPublic ? 'public' : 'confidential'
  test(`a ${kind} client with signed requests learns who the person is and which device they have`, async () => {
    const app = await application({ isPublic })
    const { tokens, claims } = await signedIn(app)
    const { sub, acr, amr, device_context: device } = claims
    assert.deepEqual([acr, amr], ['urn:muster:device:compliant', ['swk', 'pop']])
    assert.deepEqual(device, { managed: true, compliant: true, externalId: laptop.deviceId })
    const info = await client.fetchUserInfo(app.config, tokens.access_token, sub)
    assert.deepEqual(info, { sub })
    assert.equal(tokens.refresh_token, undefined)
    assert.ok((tokens.expires_in ?? 0) <= 300)
  })
}

test('two applications know a person by the same subject, which is not their address', async () => {
  const [one, other] = [await signedIn(await application()), await signedIn(await application())]
  assert.equal(one.claims.sub, other.claims.sub)
  assert.equal(one.claims.sub.includes('@'), false)
})

test('every request is a device check, also with prompt=login and max_age and the cookies of the one before', async () => {
  const app = await application()
  const browser = loopbackBrowser(place.tenant.origin)
  const before = (await place.sessions()).length
  const times: number[] = []
  for (const more of [{}, { prompt: 'login' }, { max_age: '0' }, { max_age: '3600' }]) {
    const startedAt = Math.floor(Date.now() / 1000)
    const { claims } = await signedIn(app, more, browser)
    if ('max_age' in more) times.push(Number(claims.auth_time) - startedAt)
  }
  assert.equal((await place.sessions()).length, before + 4)
  assert.equal(times.length, 2)
  assert.ok(
    times.every((seconds) => seconds >= 0),
    `auth_time is of this sign-in: ${times}`,
  )
})

test('prompt=none is answered with interaction_required, and no sign-in begins', async () => {
  const app = await application()
  const before = (await place.sessions()).length
  const { address, checks } = await app.request({ ...hint, prompt: 'none' })
  const { away } = await loopbackBrowser(place.tenant.origin).follow(address)
  await assert.rejects(app.take(away ?? assert.fail(), checks), (error) => {
    assert.ok(error instanceof client.AuthorizationResponseError)
    assert.equal(error.error, 'interaction_required')
    return true
  })
  assert.equal((await place.sessions()).length, before)
})

test('requests that are not signed, signed by another key, or changed beside the signature begin no sign-in', async () => {
  const app = await application()
  const before = (await place.sessions()).length
  const open = async (address: string) => (await loopbackBrowser(place.tenant.origin).follow(address)).away
  const plain = await openApplication(place.tenant.issuer, app, { redirectUri })
  const refused = [
    await open((await plain.request(hint)).address),
    await open((await app.request(hint, await requestKeys())).address),
    await open((await app.request(hint, await requestKeys('another'))).address),
  ]
  for (const away of refused) assert.equal(away?.searchParams.has('code') ?? false, false)
  const named = refused.map((away) => away?.searchParams.get('error'))
  assert.deepEqual(named, ['invalid_request', 'invalid_request_object', 'invalid_request_object'])
  assert.equal((await place.sessions()).length, before)
})

test('a hint that is put beside the signed request is not heard', async () => {
  const app = await application()
  const ben = await place.make.person(place.tenant.organizationId, { email: 'ben@acme.example' })
  const pending = await app.request(hint)
  const address = new URL(pending.address)
  address.searchParams.set('login_hint', ben.email)
  const answer = await signIn({ ...pending, address: address.href })
  assert.equal(answer.searchParams.has('code'), true)
  const { person_id: personId } = (await place.sessions()).at(-1) ?? {}
  assert.notEqual(personId, ben.id)
})

test('a code counts once, for the client that asked, with its verifier', async () => {
  const [app, other] = [await application(), await application()]
  const pending = await app.request(hint)
  const answer = await signIn(pending)
  const { checks } = pending
  await assert.rejects(other.take(answer, checks), (error) => isRefused(error, 'invalid_grant'))
  const wrong = { ...checks, pkceCodeVerifier: client.randomPKCECodeVerifier() }
  await assert.rejects(app.take(answer, wrong), (error) => isRefused(error, 'invalid_grant'))
  const tokens = await app.take(answer, checks)
  await assert.rejects(app.take(answer, checks), (error) => isRefused(error, 'invalid_grant'))
  // Whoever has the code a second time may have stolen it: what it brought ends with it (RFC 6749 §4.1.2).
  await assert.rejects(client.fetchUserInfo(app.config, tokens.access_token, client.skipSubjectCheck))
})

test('a confidential client needs its secret, and a public one its verifier', async () => {
  const app = await application()
  const pending = await app.request(hint)
  const answer = await signIn(pending)
  const imposter = await openApplication(place.tenant.issuer, { ...app, clientSecret: 'guessed' }, { redirectUri })
  await assert.rejects(imposter.take(answer, pending.checks), (error) => {
    assert.ok(error instanceof client.WWWAuthenticateChallengeError, String(error))
    return error.status === 401
  })
  const shared = await application({ isPublic: true })
  const asked = await shared.request({ ...hint, code_challenge: '', code_challenge_method: '' })
  const { away } = await loopbackBrowser(place.tenant.origin).follow(asked.address)
  assert.equal(away?.searchParams.get('error'), 'invalid_request')
})
