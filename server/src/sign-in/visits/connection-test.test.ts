import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { brokerStage, upstreamReturn } from '../../../test/support/broker-stage.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { json, startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { startIdentityProvider } from '../../../test/support/identity-provider.ts'
import { signInBrowser } from '../../../test/support/sign-in-browser.ts'
import { transact } from '../../base/db/transact.ts'
import { changeConnection } from '../connections/change-connection.ts'
import { createConnection } from '../connections/create-connection.ts'

const { stage, make, change, setUp, proveIn, sessionOf } = brokerStage()

const provider = await startIdentityProvider(upstreamReturn)
const hostile = await startHostileProvider()
after(() => Promise.all([provider.stop(), hostile.stop()]))
beforeEach(() => {
  hostile.reset()
  provider.accounts.clear()
  provider.accounts.set('ana-7', { email: 'ana@example.com', emailVerified: true })
})

type Set = Awaited<ReturnType<typeof setUp>>

/** An administrator, who asks for tests of connections. */
async function signedIn() {
  const { email } = await addAdmin(stage, { email: `admin-${randomUUID()}@acme.example` })
  const console = openBrowser(stage)
  await console.signIn(email)
  return (id: string, host = 'muster.test') =>
    console.ask('POST', `/session/sign_in_connections/${id}/test`, undefined, { host })
}

/** The browser of an administrator, who tries a connection. */
async function begin({ connection }: Pick<Set, 'connection'>) {
  const ask = await signedIn()
  const { status, body, headers } = await ask(connection.id)
  assert.equal(status, 200, JSON.stringify(body))
  const path: string = body.page_url
  const browser = signInBrowser(stage.app)
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec([headers['set-cookie'] ?? []].flat().join()) ?? []
  browser.cookies.set(name, value)
  const post = (what: string, more: object = {}) => browser.go(`${path}/${what}`, { method: 'POST', body: more })
  const challenge = async () => (JSON.parse((await post('challenge')).text) as { challenge: string }).challenge
  const text = async () => (await browser.go(path)).text
  /** To the provider, as the button does. */
  const leave = async () => (await post('identify')).headers['location'] ?? ''
  return { ...browser, path, reply: await browser.go(path), post, challenge, text, leave }
}

/** Nothing that a sign-in of a person leaves is there. */
async function assertNothingIsLeft({ person }: Set): Promise<void> {
  for (const table of ['auth_logs', 'auth_log_events', 'person_identities', 'signin_subjects'] as const) {
    assert.deepEqual(await stage.db.selectFrom(table).selectAll().execute(), [], table)
  }
  const { last_authenticated_at: at } = await stage.db
    .selectFrom('people')
    .select('last_authenticated_at')
    .where('id', '=', person.id)
    .executeTakeFirstOrThrow()
  assert.equal(at, null)
}

test('a test of a connection goes all the way, says what the application would hear, and leaves nothing', async () => {
  const set = await setUp(provider.issuer)
  const visit = await begin(set)
  assert.match(visit.reply.text, /Test of Payroll/)
  assert.match(visit.reply.text, /Sign in with Example ID/)
  const { path } = await visit.follow(await provider.walk(await visit.leave(), 'ana-7'))
  assert.equal(path, visit.path)
  assert.match(await visit.text(), /Step 3 of 6 is running/)
  assert.deepEqual(await proveIn(visit, set), { status: 200, state: 'passed' })
  const text = await visit.text()
  assert.match(text, /It works: Payroll would open/)
  assert.match(text, /urn:muster:device:compliant/)
  assert.match(text, /known there as <code>ana-7<\/code>/)
  assert.equal(/data-(?:finish|ready)=/.test(text), false)
  await assertNothingIsLeft(set)
})

test('a test answers no application, whatever is asked for', async () => {
  const set = await setUp(provider.issuer)
  const visit = await begin(set)
  await visit.follow(await provider.walk(await visit.leave(), 'ana-7'))
  await proveIn(visit, set)
  const { interaction_uid: uid } = await sessionOf(visit.path)
  const answer = await visit.go(`/signin/oidc/auth/${uid}`)
  assert.deepEqual([answer.status, answer.headers['location']], [403, undefined])
  for (const act of ['snooze', 'exemption', 'register', 'code', 'recheck', 'withdraw-registration']) {
    const { status } = await visit.post(act, { message: 'x', code: 'AAAA-BBBB', issue_id: '1' })
    assert.equal(status, 404, act)
  }
  assert.equal((await visit.post('cancel')).headers['location'], `/console/connections/${set.connection.id}`)
  await assertNothingIsLeft(set)
  assert.deepEqual(await stage.db.selectFrom('oidc_records').selectAll().execute(), [])
})

test('a test judges a device as the connection does once it enforces, and says what stops it', async () => {
  const set = await setUp(provider.issuer, {}, { mode: 'observe' })
  await make.person(set.organizationId, { email: 'ben@example.com' })
  provider.accounts.set('ben-9', { email: 'ben@example.com', emailVerified: true })
  const visit = await begin(set)
  await visit.follow(await provider.walk(await visit.leave(), 'ben-9'))
  assert.notEqual((await proveIn(visit, set)).state, 'observed')
  assert.match(await visit.text(), /It stops at step 4 of 6/)
  await transact(stage.db, (tx) => changeConnection(tx, { id: set.connection.id, mode: 'disabled' }, change()))
  assert.match((await begin(set)).reply.text, /Test of Payroll/)
  await assertNothingIsLeft(set)
})

test('a test says that someone is not on the list, and adds no one', async () => {
  const set = await setUp(provider.issuer, { emailDomains: ['example.com'] })
  provider.accounts.set('eve-1', { email: 'eve@example.com', emailVerified: true })
  const people = await stage.db.selectFrom('people').select('id').execute()
  const visit = await begin(set)
  await visit.follow(await provider.walk(await visit.leave(), 'eve-1'))
  assert.match(await visit.text(), /eve@example.com: nobody on the list has this address/)
  await stage.db.updateTable('signin_upstreams').set({ creates_people: true }).execute()
  assert.match(await visit.text(), /would be added at their first sign-in/)
  const again = await begin(set)
  await again.follow(await provider.walk(await again.leave(), 'eve-1'))
  assert.match(await again.text(), /would be added at their first sign-in/)
  assert.deepEqual(await stage.db.selectFrom('people').select('id').execute(), people)
  await assertNothingIsLeft(set)
})

const wrongs: [title: string, answer: object, status: number, says: RegExp][] = [
  [
    'a client secret that the provider refuses',
    { error: 'invalid_client', error_description: 'bad <b>secret</b>' },
    401,
    /invalid_client: bad &#60;b&#62;secret/,
  ],
  ['a provider that is down', { error: 'server_error' }, 503, /isn’t answering/],
]
for (const [title, answer, status, says] of wrongs) {
  test(`a test names ${title}`, async () => {
    const set = await setUp(hostile.issuer)
    const visit = await begin(set)
    hostile.endpoints.set('/token', json(answer, status))
    const state = new URL(await visit.leave()).searchParams.get('state') ?? ''
    await visit.follow(`/signin/upstream/return?${new URLSearchParams({ code: 'c', state, iss: hostile.issuer })}`)
    const text = await visit.text()
    assert.match(text, says)
    assert.match(text, /It stops at step 1 of 6/)
    assert.match(text, /Try again/)
  })
}

test('a test names the claim that is wrong, and what the provider refuses; people are not told', async () => {
  const set = await setUp(hostile.issuer, { tenant: { claim: 'hd', value: 'example.com' } })
  const visit = await begin(set)
  const back = async (query: (asked: URLSearchParams) => Promise<Record<string, string>>) => {
    const asked = new URL(await visit.leave()).searchParams
    const answer = { state: asked.get('state') ?? '', iss: hostile.issuer, ...(await query(asked)) }
    await visit.follow(`/signin/upstream/return?${new URLSearchParams(answer)}`)
    return visit.text()
  }
  const wrongTenant = await back(async (asked) => {
    const claims = { sub: 'x', email: 'x@evil.example', email_verified: true, hd: 'evil.example' }
    const token = await hostile.sign({ ...claims, nonce: asked.get('nonce') })
    hostile.endpoints.set('/token', json({ access_token: 'at', token_type: 'Bearer', id_token: token }))
    return { code: 'c' }
  })
  assert.match(wrongTenant, /hd is &#34;evil\.example&#34;/)
  assert.match(await back(async () => ({ error: 'access_denied' })), /It answered the error &#34;access_denied&#34;/)
})

test('what cannot be tested here is refused, with the reason', async () => {
  const set = await setUp(provider.issuer)
  const ask = await signedIn()
  assert.match((await ask(set.connection.id, 'elsewhere.test')).body.message, /open the console there/)
  const second = await transact(stage.db, (tx) =>
    createConnection(
      tx,
      stage.secrets,
      { name: 'Wiki', kind: 'second_step', redirectUris: [set.rp.redirectUri], requestKeys: [set.rp.jwk] },
      change(),
    ),
  )
  const refused = await ask(second.id)
  assert.deepEqual([refused.status, refused.body.message.slice(0, 15)], [422, 'Only the caller'])
  assert.equal((await ask('999')).status, 404)
})
