import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brokerStage, upstreamReturn } from '../../../test/support/broker-stage.ts'
import { startIdentityProvider } from '../../../test/support/identity-provider.ts'
import { transact } from '../../base/db/transact.ts'
import { changeConnection } from '../connections/change-connection.ts'
import { createConnection } from '../connections/create-connection.ts'

const { stage, make, change, setUp, addUpstream, leave, proveIn, finishPath, tokensOf, sessionOf, addKey } =
  brokerStage()

const provider = await startIdentityProvider(upstreamReturn)
after(() => provider.stop())
provider.accounts.set('ana-7', { email: 'ana@example.com', emailVerified: true })
provider.accounts.set('ben-9', { email: 'ben@example.com', emailVerified: true })

type Set = Awaited<ReturnType<typeof setUp>>
type Visit = Awaited<ReturnType<typeof leave>>

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** Back from the provider, where someone has signed in. */
async function comeBack(visit: Visit, login: string) {
  return visit.follow(await provider.walk(visit.away, login))
}

async function open(set: Set, visit: Visit) {
  assert.deepEqual(await proveIn(visit, set), { status: 200, state: 'passed' })
  const { away = '' } = await visit.follow(await finishPath(visit as never))
  const { status, body } = await tokensOf(set, away)
  assert.equal(status, 200, JSON.stringify(body))
  return claimsOf(body['id_token'] ?? '')
}

test('application, Muster, provider, device, application: the provider says who it is, and the device opens the way', async () => {
  const set = await setUp(provider.issuer)
  const visit = await leave(set, { scope: 'openid email profile', login_hint: 'ana@example.com', max_age: '3600' })
  assert.deepEqual(
    ['scope', 'login_hint', 'max_age', 'code_challenge_method', 'redirect_uri', 'prompt', 'hd'].map((name) =>
      visit.asked.get(name),
    ),
    ['openid email profile', 'ana@example.com', '3600', 'S256', upstreamReturn, null, null],
  )
  assert.equal((await sessionOf(visit.path)).state, 'identifying')
  assert.equal((await stage.db.selectFrom('auth_logs').select('id').execute()).length, 0)
  const { path } = await comeBack(visit, 'ana-7')
  assert.equal(path, visit.path)
  const { evidence, subject, subject_id: id, subject_issuer: issuer, state } = await sessionOf(visit.path)
  assert.deepEqual(
    [evidence, subject, id, issuer, state],
    ['asserted', 'ana@example.com', 'ana-7', provider.issuer, 'looking'],
  )
  const claims = await open(set, visit)
  assert.notEqual(claims.sub, 'ana-7')
  assert.deepEqual(
    [claims.acr, claims.amr, claims.email, claims.device_context],
    [
      'urn:muster:device:compliant',
      ['swk', 'pop'],
      'ana@example.com',
      { managed: true, compliant: true, externalId: set.device.id },
    ],
  )
  assert.equal(typeof claims.auth_time, 'number')
  const [event] = await stage.db
    .selectFrom('auth_log_events')
    .select('description')
    .orderBy('position')
    .limit(1)
    .execute()
  assert.match(event?.description ?? '', /"Example ID" says who it is/)
})

test('a proof counts for nothing before the provider has said who it is', async () => {
  const set = await setUp(provider.issuer)
  const visit = await leave(set)
  assert.deepEqual(await proveIn(visit, set), {
    status: 403,
    error: { code: 'proof_invalid', detail: 'wrong_session' },
  })
  const { device_id: deviceId, auth_log_id: log } = await sessionOf(visit.path)
  assert.deepEqual([deviceId, log], [null, null])
  assert.match((await visit.go(visit.path)).text, /Sign in with Example ID/)
})

test('who someone is at the provider decides for good, whatever becomes of their address', async () => {
  const set = await setUp(provider.issuer)
  const first = await leave(set)
  await comeBack(first, 'ana-7')
  const claims = await open(set, first)
  // Her address is given to Ben, here and there.
  await stage.db.updateTable('people').set({ email: 'ana.old@example.com' }).where('id', '=', set.person.id).execute()
  const ben = await make.person(set.organizationId, { email: 'ana@example.com' })
  provider.accounts.set('ben-10', { email: 'ana@example.com', emailVerified: true })
  const second = await leave(set)
  await comeBack(second, 'ana-7')
  assert.equal((await sessionOf(second.path)).person_id, set.person.id)
  assert.equal((await open(set, second)).sub, claims.sub)
  const third = await leave(set)
  await comeBack(third, 'ben-10')
  assert.equal((await sessionOf(third.path)).person_id, ben.id)
})

test('an address that was given to someone else there opens no account, at no connection of the provider', async () => {
  const set = await setUp(provider.issuer)
  const first = await leave(set)
  await comeBack(first, 'ana-7')
  await open(set, first)
  provider.accounts.set('ben-11', { email: 'ana@example.com', emailVerified: true })
  const wanted = {
    name: 'Wiki',
    kind: 'application' as const,
    mode: 'enforce' as const,
    redirectUris: [set.rp.redirectUri],
  }
  const wiki = await transact(stage.db, (tx) =>
    createConnection(tx, stage.secrets, { ...wanted, upstreamId: set.upstreamId }, change()),
  )
  for (const place of [set, { ...set, connection: wiki }]) {
    const taken = await leave(place)
    await comeBack(taken, 'ben-11')
    const { person_id: personId, state } = await sessionOf(taken.path)
    assert.deepEqual([personId, state], [null, 'unknown_person'])
    assert.equal((await proveIn(taken, set)).state, 'unknown_person')
    const { failure_reason: reason } = await stage.db
      .selectFrom('auth_logs')
      .select('failure_reason')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    assert.equal(reason, 'another_account')
  }
})

test('two upstreams that vouch for one address lead to one person, whom applications know by one subject', async () => {
  const other = await startIdentityProvider(upstreamReturn)
  after(() => other.stop())
  other.accounts.set('a-1', { email: 'ana@example.com', emailVerified: true })
  const set = await setUp(provider.issuer)
  const first = await leave(set)
  await comeBack(first, 'ana-7')
  const claims = await open(set, first)
  const upstreamId = await addUpstream(other.issuer)
  await transact(stage.db, (tx) => changeConnection(tx, { id: set.connection.id, upstreamId }, change()))
  const second = await leave(set)
  await second.follow(await other.walk(second.away, 'a-1'))
  assert.equal((await sessionOf(second.path)).person_id, set.person.id)
  assert.equal((await open(set, second)).sub, claims.sub)
  const bound = await stage.db
    .selectFrom('person_identities')
    .select(['issuer', 'subject'])
    .orderBy('bound_at')
    .execute()
  assert.deepEqual(
    new Set(bound.map(({ issuer, subject }) => `${issuer} ${subject}`)),
    new Set([`${provider.issuer} ana-7`, `${other.issuer} a-1`]),
  )
})

test('someone whom the provider knows and Muster does not gets no further, and learns nothing', async () => {
  const set = await setUp(provider.issuer)
  provider.accounts.set('eve-1', { email: 'eve@example.com', emailVerified: true, name: 'Eve Ko' })
  const visit = await leave(set, { scope: 'openid email profile' })
  await comeBack(visit, 'eve-1')
  assert.equal((await sessionOf(visit.path)).person_id, null)
  assert.match((await visit.go(visit.path)).text, /isn’t on .* list/)
  assert.equal((await proveIn(visit, set)).state, 'unknown_person')
  const logs = await stage.db.selectFrom('auth_logs').select(['person_id', 'person_name', 'person_email']).execute()
  assert.deepEqual(logs, [{ person_id: null, person_name: 'Eve Ko', person_email: 'eve@example.com' }])
})

test('an upstream that may adds someone of its domains at their first sign-in, once, and says so in the audit log', async () => {
  const set = await setUp(provider.issuer, { emailDomains: ['example.com'], createsPeople: true })
  provider.accounts.set('eve-1', { email: 'Eve@example.com', emailVerified: true, name: 'Eve Ko' })
  const visits = [
    await leave(set, { scope: 'openid email profile' }),
    await leave(set, { scope: 'openid email profile' }),
  ]
  const backs = await Promise.all(
    visits.map(async (visit) => ({ visit, url: await provider.walk(visit.away, 'eve-1') })),
  )
  await Promise.all(backs.map(({ visit, url }) => visit.follow(url)))
  const people = await stage.db
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where('email', 'like', 'Eve%')
    .execute()
  assert.deepEqual(
    people.map(({ name, email }) => [name, email]),
    [['Eve Ko', 'Eve@example.com']],
  )
  for (const { path } of visits) assert.equal((await sessionOf(path)).person_id, people[0]?.id)
  const entries = await stage.db
    .selectFrom('audit_logs')
    .select(['description', 'ip_address'])
    .where('action', '=', 'person.created')
    .execute()
  assert.deepEqual(entries, [
    {
      description: 'Added the person "Eve Ko" (Eve@example.com) at their first sign-in through "Example ID".',
      ip_address: '127.0.0.1',
    },
  ])
})

test('an upstream brings back nobody who has left, and adds nobody of another domain or of an identifier that is bound', async () => {
  const set = await setUp(provider.issuer, { emailDomains: ['example.com'], createsPeople: true })
  const left = await make.person(set.organizationId, { email: 'lee@example.com', deprovisioned_at: stage.now() })
  provider.accounts.set('lee-1', { email: 'lee@example.com', emailVerified: true })
  provider.accounts.set('mia-1', { email: 'mia@elsewhere.example', emailVerified: true })
  const count = async () => (await stage.db.selectFrom('people').select('id').execute()).length
  const before = await count()
  for (const login of ['lee-1', 'mia-1']) {
    const visit = await leave(set)
    await comeBack(visit, login)
    assert.equal((await sessionOf(visit.path)).person_id, null, login)
  }
  const known = await leave(set)
  await comeBack(known, 'ana-7')
  provider.accounts.set('ana-7', { email: 'ana.new@example.com', emailVerified: true })
  const renamed = await leave(set)
  await comeBack(renamed, 'ana-7')
  provider.accounts.set('ana-7', { email: 'ana@example.com', emailVerified: true })
  assert.equal((await sessionOf(renamed.path)).person_id, set.person.id)
  assert.equal(await count(), before)
  const row = stage.db.selectFrom('people').select('deprovisioned_at').where('id', '=', left.id)
  assert.notEqual((await row.executeTakeFirstOrThrow()).deprovisioned_at, null)
})

test('another person’s account at the provider does not open a registered laptop', async () => {
  const set = await setUp(provider.issuer)
  await make.person(set.organizationId, { email: 'ben@example.com' })
  const visit = await leave(set, { login_hint: 'ana@example.com' })
  await comeBack(visit, 'ben-9')
  assert.equal((await proveIn(visit, set)).state, 'not_your_device')
})

test('a first laptop is registered to whom the provider names', async () => {
  const set = await setUp(provider.issuer)
  const ben = await make.person(set.organizationId, { email: 'ben@example.com' })
  const device = await make.device(set.organizationId, { name: 'ben-x1' })
  const companion = await addKey(device.id)
  const visit = await leave(set)
  await comeBack(visit, 'ben-9')
  assert.equal((await proveIn(visit, { companion })).state, 'register')
  await visit.post('register', { message: '' })
  const row = await stage.db
    .selectFrom('devices')
    .select('registered_owner_id')
    .where('id', '=', device.id)
    .executeTakeFirst()
  assert.equal(row?.registered_owner_id, ben.id)
})

test('prompt is passed on and resolved, and prompt=none is answered without asking anyone', async () => {
  const set = await setUp(provider.issuer)
  const visit = await leave(set, { prompt: 'select_account login' })
  assert.equal(visit.asked.get('prompt'), 'login select_account')
  // The provider of the test knows no select_account; a person there signs in afresh.
  await visit.follow(await provider.walk(visit.away.replace('login+select_account', 'login'), 'ana-7'))
  assert.ok((await open(set, visit)).sub)
  const none = set.rp.addressOf(set.rp.plainRequest(set.connection.clientId, { prompt: 'none' }))
  const { location = '' } = (await visit.go(none)).headers
  assert.match(new URL(location).searchParams.get('error') ?? '', /_required$/)
})
