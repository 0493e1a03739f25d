import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { heldKeys } from '../../src/keys/held-keys.ts'
import type { Laptop } from './laptop.ts'
import { loopbackBrowser } from './loopback-browser.ts'
import { openApplication, requestKeys } from './openid-application.ts'
import { signInPlace, type Tenant } from './sign-in-place.ts'

const place = signInPlace()
const redirectUri = 'https://payroll.example/callback'
const mail = 'ana@acme.example'
type Party = Awaited<ReturnType<typeof partyOf>>
let [acme, globex]: Party[] = []

/** A person with the same address in each, with a laptop, and an application whose requests one key signs. */
async function partyOf(tenant: Tenant, signing: Awaited<ReturnType<typeof requestKeys>>) {
  const person = await place.make.person(tenant.organizationId, { email: mail })
  const laptop: Laptop = await tenant.addLaptop({ ownerId: person.id, isAnyPort: true })
  const connection = await tenant.addConnection({
    ...{ kind: 'second_step', name: 'Payroll', redirectUris: [redirectUri], requestKeys: [signing.jwk] },
  })
  const application = await openApplication(tenant.issuer, connection, { redirectUri, signing })
  const begin = async () => {
    const browser = loopbackBrowser(tenant.origin)
    const pending = await application.request({ login_hint: mail })
    return { browser, pending, ...(await browser.arrive(pending.address)) }
  }
  const signIn = async () => {
    const visit = await begin()
    assert.equal((await visit.prove(laptop.port)).state, 'passed')
    const { away = new URL(redirectUri) } = await visit.finish()
    return { answer: away, checks: visit.pending.checks, visit }
  }
  return { ...tenant, laptop, connection, application, signing, begin, signIn }
}

before(async () => {
  await place.ready
  const signing = await requestKeys()
  acme = await partyOf(place.tenant, signing)
  globex = await partyOf(await place.addTenant('Globex'), signing)
})

const both = () => {
  if (!acme || !globex) throw new Error('They are made in a hook')
  return [
    [acme, globex],
    [globex, acme],
  ] as const
}

const refusedGrant = (error: unknown): boolean =>
  (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') ||
  (error instanceof client.WWWAuthenticateChallengeError && error.status === 401)

test('an ID token and an access token of one are nothing to the other, nor is the subject the same', async () => {
  const subjects: string[] = []
  for (const [own, other] of both()) {
    const { answer, checks } = await own.signIn()
    const tokens = await own.application.take(answer, checks)
    const keysOf = ({ issuer }: Party) => createRemoteJWKSet(new URL(`${issuer}/jwks`))
    const { payload } = await jwtVerify(tokens.id_token ?? '', keysOf(own), { issuer: own.issuer })
    subjects.push(payload.sub ?? '')
    await assert.rejects(jwtVerify(tokens.id_token ?? '', keysOf(other)), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
    const ofOther = client.fetchUserInfo(other.application.config, tokens.access_token, client.skipSubjectCheck)
    await assert.rejects(ofOther, (error) => error instanceof client.WWWAuthenticateChallengeError)
  }
  assert.equal(new Set(subjects).size, 2)
})

test('a code of one is refused by the other, whichever client brings it', async () => {
  for (const [own, other] of both()) {
    const { answer, checks } = await own.signIn()
    await assert.rejects(other.application.take(withIssuer(answer, other), checks), refusedGrant)
    const abroad = await openApplication(other.issuer, own.connection, { redirectUri })
    await assert.rejects(abroad.take(withIssuer(answer, other), checks), refusedGrant)
    assert.ok((await own.application.take(answer, checks)).id_token, 'and is still good where it was given')
  }
})

/** RFC 9207: a client that is told another issuer stops before it has sent the code anywhere. */
function withIssuer(answer: URL, { issuer }: Party): URL {
  const changed = new URL(answer)
  changed.searchParams.set('iss', issuer)
  return changed
}

test('a signed request for one begins nothing at the other', async () => {
  for (const [own, other] of both()) {
    const before = (await place.sessions()).length
    const { address } = await own.application.request({ login_hint: mail })
    const parameters = new URL(address).searchParams
    const abroad = new URL(`${other.issuer}/auth`)
    abroad.search = String(parameters)
    await loopbackBrowser(other.origin).follow(abroad.href)
    abroad.searchParams.set('client_id', other.connection.clientId)
    await loopbackBrowser(other.origin).follow(abroad.href)
    // Signed by the right key, for the right client: but meant for another issuer.
    const misled = await openApplication(own.issuer, other.connection, { redirectUri, signing: own.signing })
    abroad.search = new URL((await misled.request({ login_hint: mail })).address).search
    await loopbackBrowser(other.origin).follow(abroad.href)
    assert.equal((await place.sessions()).length, before)
  }
})

test('the cookies of a sign-in at one open nothing at the other', async () => {
  for (const [own, other] of both()) {
    const { page, browser, reply } = await own.begin()
    assert.equal(reply.status, 200)
    const theirs = await other.begin()
    const thief = loopbackBrowser(other.origin)
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
    assert.equal((await thief.go(page)).status, 404)
    assert.equal((await thief.go(`${page}/challenge`, { method: 'POST', body: {} })).status, 404)
    assert.equal((await thief.go(theirs.page)).status, 403)
    const { uid } = await interactionOf(page)
    assert.notEqual((await thief.go(`/signin/oidc/auth/${uid}`)).status, 303)
  }
})

const interactionOf = (page: string) =>
  place.db
    .selectFrom('signin_sessions')
    .select('interaction_uid as uid')
    .where('id', '=', page.replace('/signin/', ''))
    .executeTakeFirstOrThrow()

test('a companion of one takes no challenge of the other, and its proof is none there', async () => {
  for (const [own, other] of both()) {
    const visit = await own.begin()
    await assert.rejects(visit.proofFrom(other.laptop.port), /answers 404/)
    const theirs = await other.begin()
    const challenge = await theirs.challenge()
    const asked = await attest(own, challenge)
    assert.equal(asked.status, 403)
    const proof = await visit.proofFrom(own.laptop.port)
    const { status, text } = await theirs.post('proof', { proof })
    assert.deepEqual([status, JSON.parse(text)], [403, { error: { code: 'proof_invalid', detail: 'unknown_key' } }])
    const session = (await place.sessions()).find(({ id }) => theirs.page === `/signin/${id}`)
    assert.equal(session?.device_id, null)
  }
})

/** As the page of its own organization asks. */
const attest = ({ origin, laptop }: Party, challenge: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${laptop.port}/v1/attest`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', 'sec-fetch-mode': 'cors' },
    body: JSON.stringify({ challenge }),
  })

test('no key of one is a key of the other', async () => {
  const kids = new Set<string>()
  for (const [{ organizationId, issuer }] of both()) {
    const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: { kid: string }[] }
    const ring = { organizationId, purpose: 'challenge' } as const
    const challenge = await heldKeys(place.database.db, place.secrets).signing(ring, new Date().toISOString())
    for (const { kid } of [...keys, challenge]) kids.add(kid)
  }
  assert.equal(kids.size, 4)
})
