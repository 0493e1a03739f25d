import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { generateKeyPair, SignJWT } from 'jose'
import { transact } from '../../src/base/db/transact.ts'
import { minuteMs, plusMs } from '../../src/base/time.ts'
import { createEntraConnection } from '../../src/sign-in/connections/create-entra-connection.ts'
import { dropSeenRequests } from '../../src/sign-in/sessions/drop-idle-sessions.ts'
import { anaOid, appId, entraStandIn, readForm, tenantId } from '../support/entra-stand-in.ts'
import { signInStage } from '../support/sign-in-stage.ts'

const entra = entraStandIn()
const warned: { err?: Error; clientRequestId?: string }[] = []
const { stage, make, change, setUp } = signInStage({
  fetchFromEntra: entra.fetchDocument,
  warn: (facts) => warned.push(facts),
})

const otherTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'
const pass = (minutes: number): void => stage.setNow(plusMs(stage.now(), minutes * minuteMs))
const seconds = (minutes: number): number => Math.floor(Date.parse(stage.now()) / 1000) + minutes * 60

async function start() {
  await entra.heal()
  // The keys of the test before it are too old.
  pass(13 * 60)
  const all = await setUp()
  const asked = {
    name: 'Microsoft 365',
    cloud: 'global' as const,
    tenantIds: [tenantId],
    appId,
    mode: 'enforce' as const,
  }
  const connection = await transact(stage.db, (tx) => createEntraConnection(tx, asked, change()))
  return { ...all, connection, ofPayroll: all.connection.clientId }
}

type SetUp = Awaited<ReturnType<typeof start>>
type Hint = Parameters<typeof entra.hint>[1]

const formWith = async ({ connection }: SetUp, hint: Hint = {}) =>
  entra.formOf(connection, await entra.hint(stage.now(), hint))
const send = (all: SetUp, form: Record<string, string> | string) => entra.send(stage.app, all.connection, form)

/** What the page of a sign-in shows that a hint begins. */
async function began(all: SetUp, hint: Hint = {}): Promise<string | undefined> {
  const { reply, path, go } = await send(all, await formWith(all, hint))
  assert.equal(reply.status, 303, reply.text)
  return /data-state="(\w+)"/.exec((await go(path)).text)?.[1]
}

/** Runs an attack that has to be refused without a redirect, and leave nothing. */
async function isRefused(all: SetUp, form: Record<string, string> | string, title: string): Promise<void> {
  const { reply } = await send(all, form)
  assert.equal(reply.status, 400, title)
  assert.equal(reply.headers['location'], undefined, title)
  assert.equal(readForm(reply.text).action, '', title)
  assert.doesNotMatch(reply.text, /ana|evil/i, title)
}

const nothing = async () => {
  for (const table of ['signin_sessions', 'auth_logs', 'person_identities'] as const) {
    assert.deepEqual(await stage.db.selectFrom(table).selectAll().execute(), [], table)
  }
}

test('hints that Entra has not signed for this application, this tenant and this moment are refused', async () => {
  const all = await start()
  const stranger = (await generateKeyPair('RS256')).privateKey
  const china = entra.keys.get('china')?.privateKey
  const hints: Record<string, Hint> = {
    'by the key of a stranger': { key: stranger },
    'by the key of another cloud': { ...(china && { key: china }) },
    'by a key that nobody knows': { header: { kid: 'random' } },
    'without a key': { header: { kid: undefined } },
    'of another application': { claims: { aud: randomUUID() } },
    'of several applications': { claims: { aud: [appId, randomUUID()] } },
    'of another issuer': { claims: { iss: `https://login.microsoftonline.com/${otherTenant}/v2.0` } },
    'of an issuer of our own': { claims: { iss: 'https://muster.test' } },
    'of another cloud': { claims: { iss: `https://login.microsoftonline.us/${tenantId}/v2.0` } },
    'issued 11 minutes ago': { claims: { iat: seconds(-11) } },
    'issued in 11 minutes': { claims: { iat: seconds(11), exp: seconds(20) } },
    'over for 11 minutes': { claims: { exp: seconds(-11) } },
    'without an end': { claims: { exp: undefined } },
    'without a time': { claims: { iat: undefined } },
    'without a person': { claims: { oid: undefined } },
    'of a person that is no identifier': { claims: { oid: 'ana' } },
    'of a tenant that leads elsewhere': {
      claims: { tid: '../evil', iss: 'https://login.microsoftonline.com/../evil/v2.0' },
    },
    'without a subject': { claims: { sub: undefined } },
    'that is not valid yet': { claims: { nbf: seconds(11) } },
    'whose subject has NUL': { claims: { sub: 'ana\0' } },
    'whose user name has NUL': { claims: { preferred_username: 'ana\0' } },
    'whose user name has half a surrogate pair': { claims: { preferred_username: '\ud800' } },
  }
  for (const [title, hint] of Object.entries(hints)) await isRefused(all, await formWith(all, hint), title)
  for (const name of ['state', 'nonce']) await isRefused(all, { ...(await formWith(all)), [name]: 'x\0' }, name)
  await nothing()
})

test('hints that are tampered with, unsigned, or signed by what everyone knows are refused', async () => {
  const all = await start()
  const form = await formWith(all)
  const [head = '', body = '', signature = ''] = (form['id_token_hint'] ?? '').split('.')
  const bytes = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const kid = 'global-1'
  const hmac = await new SignJWT(claims as Record<string, unknown>)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid })
    .sign(new TextEncoder().encode(JSON.stringify(entra.keys.get('global')?.publicKey)))
  const hints = {
    unsigned: `${bytes({ alg: 'none', typ: 'JWT', kid })}.${body}.`,
    'RS256 without a signature': `${head}.${body}.`,
    HS256: hmac,
    RS512: `${bytes({ alg: 'RS512', kid })}.${body}.${signature}`,
    'other claims': `${head}.${bytes({ ...claims, oid: randomUUID() })}.${signature}`,
    'a critical header': `${bytes({ alg: 'RS256', kid, crit: ['x'], x: 1 })}.${body}.${signature}`,
    'a key that it brings itself': `${bytes({ alg: 'RS256', kid: 'mine', jku: 'https://evil.example/keys' })}.${body}.${signature}`,
    'no token': 'x',
    'too many parts': `${head}.${body}.${signature}.${signature}`,
    'a long one': 'x'.repeat(30_000),
  }
  for (const [title, hint] of Object.entries(hints)) await isRefused(all, { ...form, id_token_hint: hint }, title)
  await nothing()
})

test('a key of personal accounts, or of one tenant, signs for no other tenant', async () => {
  const all = await start()
  await entra.heal(() => `https://login.microsoftonline.com/${otherTenant}/v2.0`)
  pass(13 * 60)
  await isRefused(all, await formWith(all), 'a key of personal accounts')
})

test('an answer goes to the one address of the cloud, and nothing else is led anywhere', async () => {
  const all = await start()
  const form = await formWith(all)
  const returning = form['redirect_uri'] ?? ''
  for (const address of [
    ...['https://evil.example/', `${returning}/`, `${returning}?x=1`, `${returning}#x`, returning.toUpperCase(), ''],
    ...['https://login.microsoftonline.us/common/federation/externalauthprovider', 'javascript:alert(1)'],
    ...[
      `${returning}@evil.example`,
      returning.replace('https', 'http'),
      returning.replace('.com', '.com.evil.example'),
    ],
  ]) {
    await isRefused(all, { ...form, redirect_uri: address }, address)
  }
  const changed: Record<string, Record<string, string>> = {
    'another client': { client_id: all.ofPayroll },
    'another response': { response_type: 'code' },
    'another way back': { response_mode: 'query' },
    'another scope': { scope: 'profile' },
    'no nonce': { nonce: '' },
  }
  for (const [title, change] of Object.entries(changed)) await isRefused(all, { ...form, ...change }, title)
  const twice = `${new URLSearchParams(form)}&redirect_uri=https%3A%2F%2Fevil.example`
  await isRefused(all, twice, 'an address that comes twice')
  await nothing()
})

test('only a form is a request', async () => {
  const all = await start()
  const form = await formWith(all)
  const path = `/signin/entra/${all.connection.id}/authorize`
  const ask = (method: 'GET' | 'POST', type: string | undefined, payload: string) =>
    stage.app.inject({
      ...{ method, url: method === 'GET' ? `${path}?${payload}` : path },
      headers: { host: 'muster.test', ...(type && { 'content-type': type }) },
      ...(method === 'POST' && { payload }),
    })
  const query = new URLSearchParams(form).toString()
  assert.equal((await ask('GET', undefined, query)).statusCode, 405)
  assert.equal((await ask('POST', 'application/json', JSON.stringify(form))).statusCode, 415)
  assert.equal((await ask('POST', 'text/plain', query)).statusCode, 415)
  assert.equal(
    (await ask('POST', 'application/x-www-form-urlencoded', `${query}&x=${'x'.repeat(70_000)}`)).statusCode,
    413,
  )
  await nothing()
})

test('a form, a nonce and a hint each begin one sign-in', async () => {
  const all = await start()
  const form = await formWith(all)
  assert.equal((await send(all, form)).reply.status, 303)
  await isRefused(all, form, 'the same form')
  await isRefused(all, { ...form, id_token_hint: await entra.hint(stage.now()) }, 'the same nonce')
  await isRefused(all, { ...form, nonce: 'another' }, 'the same hint')
  const other = { ...form, id_token_hint: await entra.hint(stage.now()), nonce: 'another' }
  assert.equal((await send(all, other)).reply.status, 303, 'what came with what was used before is not used by it')
})

test('a hint begins one sign-in for as long as it is taken, also one from ahead of our clock', async () => {
  const all = await start()
  const ahead = { claims: { iat: seconds(10), exp: seconds(60) } }
  const form = await formWith(all, ahead)
  assert.equal((await send(all, form)).reply.status, 303)
  for (const minutes of [16, 4, 1]) {
    pass(minutes)
    await dropSeenRequests(stage.db, stage.now())
    await isRefused(all, { ...form, nonce: `of-minute-${minutes}` }, `${minutes} minutes later`)
  }
})

test('guests are told that they are, and Entra offers them another way', async () => {
  const all = await start()
  const guests: Record<string, Record<string, unknown>> = {
    'of another tenant': { tid: otherTenant, iss: `https://login.microsoftonline.com/${otherTenant}/v2.0` },
    'by another provider': { idp: `https://sts.windows.net/${otherTenant}/` },
    'by their account': { acct: 1 },
  }
  for (const [title, claims] of Object.entries(guests)) {
    const form = await formWith(all, { claims })
    const { reply } = await send(all, form)
    assert.match(reply.text, /Guests can’t sign in with Muster/, title)
    assert.deepEqual(
      await entra.receive(stage.app, all.connection, reply.text, form),
      { error: 'access_denied' },
      title,
    )
    assert.doesNotMatch(reply.text, /<script/)
  }
  await nothing()
  assert.equal(await began(all, { claims: { idp: `https://sts.windows.net/${tenantId}/`, acct: 0 } }), 'looking')
})

test('whoever signed in with a passkey is told that a computer counts for nothing more', async () => {
  const all = await start()
  const claims = JSON.stringify({ id_token: { acr: { values: ['knowledgeorinherence'] }, amr: { values: ['swk'] } } })
  const form = { ...(await formWith(all)), claims }
  const { reply } = await send(all, form)
  assert.match(reply.text, /Another kind of proof is needed/)
  assert.deepEqual(await entra.receive(stage.app, all.connection, reply.text, form), { error: 'access_denied' })
  await nothing()
})

test('a request that does not say which kinds of proof count is told so, once it is known to be of Entra', async () => {
  const all = await start()
  const { claims, ...form } = await formWith(all)
  assert.ok(claims)
  const unread: Record<string, string>[] = [
    {},
    ...['', '{', '[]', 'null', '{"id_token":{}}', '{"id_token":{"acr":null}}'].map((text) => ({ claims: text })),
    ...['{"id_token":{"amr":{"values":["swk"]}}}', '{"id_token":{"acr":{"values":[1]}}}'].map((text) => ({
      claims: text,
    })),
  ]
  for (const more of unread) {
    const sent = { ...form, ...more }
    const { reply } = await send(all, sent)
    assert.match(reply.text, /its parameter “claims” is missing, or names no acr that can be read/)
    assert.deepEqual(await entra.receive(stage.app, all.connection, reply.text, sent), { error: 'access_denied' })
    assert.doesNotMatch(reply.text, /<script/)
    await isRefused(all, { ...sent, id_token_hint: 'x' }, 'a hint that is none')
    await isRefused(all, { ...sent, redirect_uri: 'https://evil.example/' }, 'another address')
  }
  await nothing()
})

test('while Microsoft cannot be asked for its keys, Entra is told that we are out and the person why', async () => {
  const all = await start()
  entra.breakDown()
  pass(7 * 24 * 60)
  for (const seconds of [0, 20]) {
    stage.setNow(plusMs(stage.now(), seconds * 1_000))
    const form = await formWith(all)
    const { reply } = await send(all, form)
    assert.match(reply.text, /<h1 tabindex="-1">Muster can’t reach Microsoft</)
    assert.doesNotMatch(reply.text, /on our side|<script/)
    const answer = await entra.receive(stage.app, all.connection, reply.text, form)
    assert.deepEqual(answer, { error: 'temporarily_unavailable' })
    const said = warned.filter(({ clientRequestId }) => clientRequestId === form['client-request-id'])
    assert.equal(said.length, 1)
    assert.match(String((said[0]?.err?.cause as Error | undefined)?.message), /answered 503$/)
  }
  await nothing()
})

test('what is wrong in how Entra is set up is kept at the connection, and what a person brings is not', async () => {
  const all = await start()
  const form = await formWith(all)
  const { claims: _, ...bare } = form
  const guest = await formWith(all, { claims: { acct: 1 } })
  const another = await formWith(all, { claims: { aud: 'c02c1b7a-9d34-4e0b-8c61-2a7e93d0f415' } })
  const cases: [string[], Record<string, string>][] = [
    [['entra_request'], { ...form, client_id: all.ofPayroll }],
    [['entra_hint'], another],
    [['entra_claims'], bare],
    [[], guest],
  ]
  for (const [index, [reasons, sent]] of cases.entries()) {
    // A connection that was changed is looked at anew.
    await stage.db
      .updateTable('signin_connections')
      .set({ name: `Entra ${index}` })
      .execute()
    await send(all, sent)
    const kept = await stage.db.selectFrom('signin_refusals').select(['connection_id', 'reason']).execute()
    assert.deepEqual(
      kept,
      reasons.map((reason) => ({ connection_id: all.connection.id, reason })),
    )
    await stage.db.deleteFrom('signin_refusals').execute()
  }
  entra.breakDown()
  pass(7 * 24 * 60)
  await send(all, await formWith(all))
  const kept = await stage.db.selectFrom('signin_refusals').select('reason').execute()
  assert.deepEqual(kept, [{ reason: 'entra_keys' }])
})

const otherOid = anaOid.replace('0a', '0b')

test('the object ID decides for good: neither a changed user name nor one that came to someone else changes whose it is', async () => {
  const all = await start()
  assert.equal(await began(all), 'looking')
  await stage.db.updateTable('people').set({ email: 'ana.ruiz@example.com' }).where('id', '=', all.person.id).execute()
  assert.equal(await began(all), 'looking')
  await make.person(all.organizationId, { email: 'ana@example.com' })
  assert.equal(await began(all), 'looking')
  const identities = () =>
    stage.db.selectFrom('person_identities').select(['subject', 'person_id']).orderBy('subject').execute()
  assert.deepEqual(await identities(), [{ subject: anaOid, person_id: all.person.id }])
  // Her former address is another person's now, and her new one is hers.
  assert.equal(await began(all, { claims: { oid: otherOid } }), 'looking')
  assert.equal((await identities())[1]?.person_id === all.person.id, false)
  assert.equal(
    await began(all, { claims: { oid: anaOid.replace('0a', '0c'), preferred_username: 'ana.ruiz@example.com' } }),
    'unknown_person',
  )
})

test('a person who was synchronized by SCIM is found by the object ID first, and never by a user name of before', async () => {
  const all = await start()
  const addScim = (personId: string, externalId: string, name: string) =>
    stage.db
      .insertInto('scim_users')
      .values({
        ...{ organization_id: all.organizationId, person_id: personId, user_name: name, external_id: externalId },
        ...{ attributes: '{}', created_at: stage.now(), updated_at: stage.now() },
      })
      .execute()
  await addScim(all.person.id, otherOid, 'ana@example.com')
  assert.equal(await began(all), 'unknown_person')
  const ben = await make.person(all.organizationId, { email: 'ben@example.com' })
  await addScim(ben.id, anaOid, 'ben@example.com')
  assert.equal(await began(all), 'looking')
  const [bound] = await stage.db.selectFrom('person_identities').select('person_id').execute()
  assert.equal(bound?.person_id, ben.id)
})

test('an externalId that is no object ID leaves the user name to decide, in one organization', async () => {
  const all = await start()
  const other = await stage.addTenant('Globex')
  const foreign = await make.person(other.organizationId, { email: 'ben@example.com' })
  for (const [organizationId, personId] of [
    [all.organizationId, all.person.id],
    [other.organizationId, foreign.id],
  ] as const) {
    await stage.db
      .insertInto('scim_users')
      .values({
        ...{ organization_id: organizationId, person_id: personId, user_name: 'someone', external_id: 'someone' },
        ...{ attributes: '{}', created_at: stage.now(), updated_at: stage.now() },
      })
      .execute()
  }
  assert.equal(await began(all), 'looking')
  for (const name of ['\u0410NA@example.com', 'ben@example.com', 'nobody@example.com', undefined]) {
    const claims = { oid: otherOid, preferred_username: name }
    assert.equal(await began(all, { claims }), 'unknown_person', name)
  }
})

test('an office behind one address begins many sign-ins, and a stranger without a signature none', async () => {
  const all = await start()
  for (let index = 0; index < 80; index += 1) {
    const { reply } = await send(all, await formWith(all))
    assert.equal(reply.status, 303, `${index}`)
  }
  const form = await formWith(all)
  const statuses = new Set<number>()
  for (let index = 0; index < 530; index += 1) statuses.add((await send(all, { ...form, nonce: '' })).reply.status)
  assert.deepEqual(statuses, new Set([400, 429]))
  const { count } = await stage.db
    .selectFrom('signin_sessions')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(Number(count), 80)
})

test('the request of Microsoft is named in the log, and no hint is kept', async () => {
  const all = await start()
  const form = await formWith(all)
  const { go, path } = await send(all, form)
  await go(path)
  const step = await stage.db
    .selectFrom('auth_log_events')
    .select('description')
    .where('type', '=', 'sign_in_attempt')
    .executeTakeFirstOrThrow()
  assert.ok(String(step.description).endsWith(`Microsoft's request ${form['client-request-id']}.`))
  const rows = JSON.stringify(await stage.db.selectFrom('signin_sessions').selectAll().execute())
  assert.ok(rows.includes('ana-in-this-app') && !rows.includes('eyJ'))
})
