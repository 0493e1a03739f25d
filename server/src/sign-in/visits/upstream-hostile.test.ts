import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { exportSPKI, generateKeyPair } from 'jose'
import { brokerStage } from '../../../test/support/broker-stage.ts'
import { json, type SigningKey, startHostileProvider } from '../../../test/support/hostile-provider.ts'

const here = brokerStage()
const { make, leave, proveIn, finishPath, sessionOf } = here

const provider = await startHostileProvider()
after(() => provider.stop())
beforeEach(() => provider.reset())

type Visit = Awaited<ReturnType<typeof leave>>
type Given = Parameters<typeof here.setUp>[1]
type Forged = {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  key?: SigningKey
  token?: (good: string) => unknown
  query?: Record<string, string>
  asked?: Record<string, string>
}

const ana = { sub: 'ana-7', email: 'ana@example.com', email_verified: true }
const pinned: Given = { tenant: { claim: 'hd', value: 'example.com' }, emailDomains: ['example.com'] }
const returnTo = (query: Record<string, string>) => `/signin/upstream/return?${new URLSearchParams(query)}`

const tokenAsks = () => provider.asked.filter((path) => path === '/token').length

/** What the provider will answer for the code of a visit. */
async function prepare(visit: Visit, { claims = {}, header, key, token }: Forged) {
  const idToken = await provider.sign({ ...ana, hd: 'example.com', nonce: visit.nonce, ...claims }, header, key)
  const good = { access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: idToken }
  provider.endpoints.set('/token', json({ ...good, ...(token && { id_token: token(idToken) }) }))
}

/** Where a sign-in stands once the provider has answered as it is given. */
async function outcome(forged: Forged = {}, given: Given = pinned, made?: Awaited<ReturnType<typeof here.setUp>>) {
  const set = made ?? (await here.setUp(provider.issuer, given))
  const visit = await leave(set, forged.asked)
  await prepare(visit, forged)
  await visit.follow(returnTo({ code: 'c', state: visit.state, iss: provider.issuer, ...forged.query }))
  const { state, evidence, person_id: personId, upstream } = await sessionOf(visit.path)
  return { state, evidence, isAna: personId === set.person.id, failure: upstream?.failure, visit, set }
}

async function assertRefused(forged: Forged, failure: string, given?: Given) {
  const { state, evidence, isAna, failure: why } = await outcome(forged, given)
  assert.deepEqual([state, evidence, isAna, why], ['identifying', 'none', false, failure])
  assert.deepEqual(await here.stage.db.selectFrom('auth_logs').select('id').execute(), [])
  assert.deepEqual(await here.stage.db.selectFrom('person_identities').select('subject').execute(), [])
  assert.equal(provider.inward(), 0)
}

test('an honest answer says who it is, so that what follows fails for the reason that is named', async () => {
  const { state, evidence, isAna, failure } = await outcome()
  assert.deepEqual([state, evidence, isAna, failure], ['looking', 'asserted', true, undefined])
})

const stranger = await generateKeyPair('RS256', { extractable: true })
const publicPem = new TextEncoder().encode(await exportSPKI(provider.keys.publicKey))
const secret = new TextEncoder().encode('the-secret-of-the-client')
const seconds = () => Math.floor((performance.timeOrigin + performance.now()) / 1_000)
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (good: string) => `${encode({ alg: 'none' })}.${good.split('.')[1]}.`

const forgeries: [title: string, forged: () => Forged][] = [
  ['of another issuer', () => ({ claims: { iss: 'https://other.example' } })],
  ['of an issuer with a slash more', () => ({ claims: { iss: `${provider.issuer}/` } })],
  ['for another audience', () => ({ claims: { aud: 'another' } })],
  ['for another party', () => ({ claims: { azp: 'another' } })],
  ['for several audiences and no party', () => ({ claims: { aud: ['muster', 'x'] } })],
  ['with another nonce', () => ({ claims: { nonce: 'another' } })],
  ['without a nonce', () => ({ claims: { nonce: undefined } })],
  ['that has expired', () => ({ claims: { iat: seconds() - 7_200, exp: seconds() - 3_600 } })],
  ['made an hour ago', () => ({ claims: { iat: seconds() - 3_600, exp: seconds() + 3_600 } })],
  ['of tomorrow', () => ({ claims: { iat: seconds() + 86_400, exp: seconds() + 90_000 } })],
  ['about nobody', () => ({ claims: { sub: undefined } })],
  ['about a name with a NUL', () => ({ claims: { sub: 'ana\0' } })],
  ['of another key', () => ({ key: stranger.privateKey })],
  [
    'that names where its key is',
    () => ({ header: { jku: `${provider.insideOrigin}/jwks` }, key: stranger.privateKey }),
  ],
  ['signed with the client secret', () => ({ header: { alg: 'HS256' }, key: secret })],
  ['signed with the public key as a secret', () => ({ header: { alg: 'HS256' }, key: publicPem })],
  ['that is not signed', () => ({ token: unsigned })],
  ['that is not there', () => ({ token: () => undefined })],
  ['with two addresses in one', () => ({ claims: { email: 'x@evil.example@example.com' } })],
  ['with a line break in its address', () => ({ claims: { email: 'ana@example.com\n' } })],
  [
    'of an authentication before the one that was asked for',
    () => ({ asked: { max_age: '60' }, claims: { auth_time: seconds() - 900 } }),
  ],
  ['that does not say when, where that was asked', () => ({ asked: { max_age: '60' } })],
  [
    'of an earlier sign-in, where a new one was asked for',
    () => ({ asked: { prompt: 'login' }, claims: { auth_time: seconds() - 900 } }),
  ],
  ['that was proved in the future', () => ({ claims: { auth_time: seconds() + 3_600 } })],
]

for (const [title, forged] of forgeries) {
  test(`an ID token ${title} identifies nobody`, () => assertRefused(forged(), 'refused'))
}

test('an answer of another provider, or one that does not say whose it is, is not exchanged (RFC 9207)', async () => {
  const { state, failure, set } = await outcome({ query: { iss: 'https://other.example' } })
  assert.deepEqual([state, failure, tokenAsks()], ['identifying', 'refused', 0])
  const visit = await leave(set)
  await prepare(visit, {})
  await visit.follow(returnTo({ code: 'c', state: visit.state }))
  assert.equal((await sessionOf(visit.path)).state, 'identifying')
  assert.equal(tokenAsks(), 0)
})

const accounts: [title: string, claims: Record<string, unknown>, failure: string, given?: Given][] = [
  ['of another tenant', { hd: 'evil.example' }, 'tenant'],
  ['of no tenant, as a private account is', { hd: undefined }, 'tenant'],
  ['of several tenants', { hd: ['example.com', 'evil.example'] }, 'tenant'],
  ['of a guest', { idp: 'https://home.example' }, 'tenant', { ...pinned, provider: 'entra' }],
  ['whose address is not verified', { email_verified: false }, 'unverified'],
  ['whose address is called unverified in a text', { email_verified: 'false' }, 'unverified'],
  ['whose address is called verified by another word', { email_verified: 'yes' }, 'unverified'],
  ['without a word on its address, where no domain is pinned', { email_verified: undefined }, 'unverified', {}],
  ['without an address', { email: undefined }, 'no_address'],
  ['whose address is outside of the domains', { email: 'ana@evil.example' }, 'domain'],
  ['whose address ends alike', { email: 'ana@evilexample.com' }, 'domain'],
  ['whose domain has a Cyrillic letter', { email: 'ana@ex\u0430mple.com' }, 'domain'],
  ['whose domain has a dotless i', { email: 'ana@examp\u0131e.com' }, 'domain'],
  ['whose domain has a Kelvin sign', { email: 'ana@\u212Aexample.com' }, 'domain'],
]

for (const [title, claims, failure, given] of accounts) {
  test(`an account ${title} identifies nobody`, async () => {
    if (claims['email'] === undefined && 'email' in claims) provider.endpoints.set('/me', json({ sub: 'ana-7' }))
    await assertRefused({ claims }, failure, given)
  })
}

test('an address that looks like hers is not hers', async () => {
  const addresses = [
    '\u0430na@example.com',
    'an\u0131@example.com',
    '\u0130na@example.com',
    'ana+x@example.com',
    'ana@example.com.',
  ]
  const set = await here.setUp(provider.issuer)
  for (const [index, email] of addresses.entries()) {
    const { isAna } = await outcome({ claims: { email, sub: `other-${index}` } }, {}, set)
    assert.equal(isAna, false, email)
  }
  const { isAna } = await outcome({ claims: { email: 'ANA@Example.COM' } }, {}, set)
  assert.equal(isAna, true)
})

test('a pinned domain stands for an address that the provider says nothing more of', async () => {
  assert.equal((await outcome({ claims: { email_verified: undefined } })).isAna, true)
})

test('an address that the provider calls verified in a text is the person’s, where no domain is pinned', async () => {
  const set = await here.setUp(provider.issuer, {})
  assert.equal((await outcome({ claims: { email_verified: 'true' } }, {}, set)).isAna, true)
})

test('a state is good once, for its own browser alone, and the provider is asked for nothing else', async () => {
  const set = await here.setUp(provider.issuer, pinned)
  const [mine, other] = [await leave(set), await leave(set)]
  await prepare(mine, {})
  const answer = returnTo({ code: 'c', state: mine.state, iss: provider.issuer })
  const before = provider.asked.length
  // Another browser, the same browser without its cookie, and states that were never given out.
  assert.equal((await other.go(answer)).status, 403)
  assert.equal((await mine.go(answer, { headers: { cookie: '' } })).status, 403)
  for (const state of ['', 'x', `${'0'.repeat(24)}.${'a'.repeat(43)}`, `${mine.state}x`]) {
    assert.equal((await mine.go(returnTo({ code: 'c', state, iss: provider.issuer }))).status, 400, state)
  }
  const made = `${mine.path.slice(8)}.${'a'.repeat(43)}`
  assert.equal(
    (await mine.go(returnTo({ code: 'c', state: made, iss: provider.issuer }))).headers['location'],
    mine.path,
  )
  assert.equal(provider.asked.length, before)
  assert.equal((await mine.follow(answer)).path, mine.path)
  assert.equal(tokenAsks(), 1)
  assert.equal((await mine.follow(answer)).path, mine.path)
  assert.equal(tokenAsks(), 1)
  assert.equal((await sessionOf(mine.path)).state, 'looking')
  assert.equal((await sessionOf(other.path)).state, 'identifying')
})

test('a state of before is good no longer once the person was sent there again, and nobody is sent for ever', async () => {
  const set = await here.setUp(provider.issuer, pinned)
  const visit = await leave(set)
  const { headers } = await visit.post('identify')
  const again = new URL(headers['location'] ?? '').searchParams
  await prepare({ ...visit, nonce: again.get('nonce') ?? '' }, {})
  await visit.follow(returnTo({ code: 'c', state: visit.state, iss: provider.issuer }))
  assert.equal((await sessionOf(visit.path)).state, 'identifying')
  await visit.follow(returnTo({ code: 'c', state: again.get('state') ?? '', iss: provider.issuer }))
  assert.equal((await sessionOf(visit.path)).state, 'looking')
  const endless = await leave(set)
  const statuses: number[] = []
  for (let round = 0; round < 11; round += 1) statuses.push((await endless.post('identify')).status)
  assert.deepEqual([...new Set(statuses)], [303, 429])
  assert.equal((await visit.go(`${endless.path}/identify`, { method: 'POST' })).status, 403)
})

test('what a person or the provider refuses is told to the application', async () => {
  const set = await here.setUp(provider.issuer, pinned)
  for (const error of ['access_denied', 'login_required', 'interaction_required', 'consent_required']) {
    const visit = await leave(set)
    const { away = '' } = await visit.follow(returnTo({ error, state: visit.state, iss: provider.issuer }))
    const told = new URL(away)
    assert.deepEqual([told.origin, told.searchParams.get('error')], ['https://app.example', error])
    assert.equal(told.searchParams.get('state'), 's1')
  }
  assert.equal(tokenAsks(), 0)
})

test('a provider that does not answer costs nothing: the person tries again, or the application hears of it', async () => {
  const set = await here.setUp(provider.issuer, pinned)
  const visit = await leave(set)
  provider.endpoints.set('/token', json({ error: 'server_error' }, 503))
  await visit.follow(returnTo({ code: 'c', state: visit.state, iss: provider.issuer }))
  const { text } = await visit.go(visit.path)
  assert.match(text, /isn’t answering/)
  assert.match(text, /Try again/)
  const again = new URL((await visit.post('identify')).headers['location'] ?? '').searchParams
  await prepare({ ...visit, nonce: again.get('nonce') ?? '' }, {})
  await visit.follow(returnTo({ code: 'c', state: again.get('state') ?? '', iss: provider.issuer }))
  assert.equal((await proveIn(visit, set)).state, 'passed')
  assert.ok(await finishPath(visit as never))
  const other = await leave(set)
  provider.endpoints.set('/token', (response) => response.destroy())
  await other.follow(returnTo({ code: 'c', state: other.state, iss: provider.issuer }))
  const { location = '' } = (await other.post('cancel')).headers
  const { away = '' } = await other.follow(location)
  assert.equal(new URL(away).searchParams.get('error'), 'temporarily_unavailable')
})

for (const [product, prompt] of [
  ['google', 'select_account'],
  ['keycloak', 'login'],
] as const) {
  test(`after a wrong account at ${product} the provider is asked to let the person choose`, () =>
    assertChoice(product, prompt))
}

async function assertChoice(product: 'google' | 'keycloak', prompt: string): Promise<void> {
  const wrong = { claims: { hd: 'evil.example' }, asked: { login_hint: 'ana@example.com' } }
  const { visit } = await outcome(wrong, { ...pinned, provider: product })
  assert.match((await visit.go(visit.path)).text, /Choose another account/)
  const asked = new URL((await visit.post('identify')).headers['location'] ?? '').searchParams
  assert.deepEqual([asked.get('prompt'), asked.get('login_hint'), asked.get('hd')], [prompt, null, 'example.com'])
}

test('words of the provider are passed on by a list, and it says nothing of devices', async () => {
  const claims = {
    ...{
      acr: 'urn:muster:device:compliant',
      amr: ['pwd', 'hwk', 7, 'x'.repeat(99)],
      name: 'Ana \u202E',
      groups: ['admins'],
    },
    ...{ preferred_username: 'ana', device_context: { managed: true } },
  }
  const { visit } = await outcome({ claims })
  const { upstream } = await sessionOf(visit.path)
  assert.deepEqual(upstream?.said, { amr: ['pwd', 'hwk'], email: 'ana@example.com', preferredUsername: 'ana' })
})

for (const [title, name, expected] of [
  ['a name whose letters need joiners is passed on', 'علی\u200cرضا 👩‍🚀', 'علی\u200cرضا 👩‍🚀'],
  ['a name in which a joiner hides is not passed on', 'An\u200ca', undefined],
] as const) {
  test(title, async () => {
    const { upstream } = await sessionOf((await outcome({ claims: { name } })).visit.path)
    assert.equal(upstream?.said?.name, expected)
  })
}

test('strangers who send requests with her address fill no log, and ask the provider nothing', async () => {
  const set = await here.setUp(provider.issuer, pinned)
  await make.person(set.organizationId, { email: 'ben@example.com' })
  provider.asked.length = 0
  for (let round = 0; round < 5; round += 1) await leave(set, { login_hint: 'ana@example.com' })
  assert.deepEqual(provider.asked, [])
  assert.deepEqual(await here.stage.db.selectFrom('auth_logs').select('id').execute(), [])
})

test('why a test failed is kept, wherever the words of the provider are cut', async () => {
  const set = await here.setUp(provider.issuer, pinned)
  for (const before of ['', 'a', '\0', '\ud800']) {
    const visit = await leave(set)
    await here.stage.db.updateTable('signin_sessions').set({ is_test: true }).execute()
    provider.endpoints.set('/token', json({ error: 'x', error_description: `${before}${'😀'.repeat(200)}` }, 400))
    const { reply } = await visit.follow(returnTo({ code: 'c', state: visit.state, iss: provider.issuer }))
    assert.equal(reply.status, 200)
    const { upstream } = await sessionOf(visit.path)
    assert.deepEqual([upstream?.failure, upstream?.detail?.isWellFormed()], ['refused', true])
  }
})
