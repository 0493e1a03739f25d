import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestRefusal } from '@muster/contract/request-refusals.ts'
import { generateKeyPair, SignJWT } from 'jose'
import { sql } from 'kysely'
import { baseUrl } from '../../../test/support/app.ts'
import { honestUpstream } from '../../../test/support/honest-upstream.ts'
import { transact } from '../../base/db/transact.ts'
import { minuteMs, plusMs } from '../../base/time.ts'
import { changeConnection, rollConnectionSecret } from '../connections/change-connection.ts'
import { findConnectionById } from '../connections/connection-queries.ts'
import { createConnection, type NewConnection } from '../connections/create-connection.ts'
import { refusalNotes } from '../connections/note-refusal.ts'

const { stage, change, setUp, leave, pass, warned, countRefused } = await honestUpstream()
const { host } = new URL(baseUrl)

type Set = Awaited<ReturnType<typeof setUp>>
type Params = Record<string, string | undefined>

/** Another connection of the same people. */
async function connect({ rp, upstreamId }: Set, more: Partial<NewConnection> = {}): Promise<Set['connection']> {
  const application: NewConnection = { kind: 'application', name: 'Wiki', redirectUris: [rp.redirectUri], upstreamId }
  return transact(stage.db, (tx) => createConnection(tx, stage.secrets, { ...application, ...more }, change()))
}

const without = (params: Params) => {
  const kept = Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return new URLSearchParams(kept)
}

/** A request for a sign-in, but for what `more` says. */
async function request({ rp }: Set, clientId: string, more: Params = {}) {
  const params = without({ ...rp.plainRequest(clientId), ...more })
  const reply = await stage.app.inject({ url: `/signin/oidc/auth?${params}`, headers: { host } })
  return { status: reply.statusCode, location: reply.headers.location ?? '', text: reply.payload }
}

async function codeOf(set: Set, asked: Record<string, string> = {}): Promise<string> {
  const visit = await leave(set, asked)
  const { away = '' } = await visit.follow(await pass(set, visit))
  return new URL(away).searchParams.get('code') ?? ''
}

async function redeem({ rp, connection }: Set, code: string, more: Params = {}) {
  const payload = without({
    ...{ grant_type: 'authorization_code', code, redirect_uri: rp.redirectUri, code_verifier: rp.verifier },
    ...{ client_id: connection.clientId, client_secret: connection.clientSecret, ...more },
  }).toString()
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  const reply = await stage.app.inject({ method: 'POST', url: '/signin/oidc/token', headers, payload })
  return reply.statusCode
}

const kept = async () =>
  (await stage.db.selectFrom('signin_refusals').select(['connection_id', 'reason', 'refused_at']).execute()).map(
    ({ connection_id: id, reason, refused_at: at }) => [id, reason, at],
  )

const read = async ({ organizationId, connection: { id } }: Set) => {
  const row = await findConnectionById(stage.db, organizationId, id)
  assert.ok(row)
  return row
}

const noPkce = { code_challenge: undefined, code_challenge_method: undefined }

test('each request that begins no sign-in leaves at its connection what was wrong, and nothing that it said', async () => {
  const set = await setUp()
  const other = await generateKeyPair('RS256')
  const forged = await new SignJWT({}).setProtectedHeader({ alg: 'RS256' }).sign(other.privateKey)
  const hostile = '<script>alert(1)</script>'
  const cases: [RequestRefusal, Params, Partial<NewConnection>?][] = [
    ['pkce_missing', { ...noPkce, state: hostile }],
    ['pkce_method', { code_challenge_method: 'plain' }],
    ['pkce_method', { code_challenge_method: undefined }],
    ['nonce_missing', { ...noPkce, nonce: undefined }, { requiresPkce: false }],
    ['redirect_uri', { redirect_uri: `https://evil.example/${hostile}` }],
    ['redirect_uri', { ...noPkce, redirect_uri: 'https://evil.example/' }],
    ['response_type', { response_type: 'id_token' }],
    ['response_mode', { response_mode: 'fragment' }],
    ['response_mode', { response_mode: 'jwt' }],
    ['request_unsigned', {}, { requestKeys: [set.rp.jwk] }],
    ['request_object', { request: forged }, { requestKeys: [set.rp.jwk] }],
    ['request_invalid', { scope: undefined, nonce: hostile }],
    ['request_invalid', { claims: hostile }],
    ['request_invalid', { state: 'x'.repeat(9_000) }],
  ]
  for (const [reason, params, more] of cases) {
    const { id, clientId } = await connect(set, more)
    const { text } = await request(set, clientId, params)
    assert.deepEqual(await kept(), [[id, reason, stage.now()]], `${JSON.stringify(params)}: ${text}`)
    await stage.db.deleteFrom('signin_refusals').execute()
  }
})

test('a request with two faults is counted once, and kept by the one that its page says', async () => {
  const set = await setUp()
  const { id, clientId } = set.connection
  const before = await countRefused()
  await request(set, clientId, { response_type: 'token', redirect_uri: 'https://evil.example/' })
  assert.deepEqual(await kept(), [[id, 'redirect_uri', stage.now()]])
  assert.equal((await countRefused()) - before, 1)
})

test('a signed request that comes again says so', async () => {
  const set = await setUp()
  const { id, clientId } = await connect(set, { kind: 'second_step', upstreamId: null, requestKeys: [set.rp.jwk] })
  const signed = await set.rp.signedRequest(clientId, { login_hint: 'ana@example.com' })
  assert.equal((await request(set, clientId, { ...signed })).status, 303)
  assert.deepEqual(await kept(), [])
  await request(set, clientId, { ...signed })
  assert.deepEqual(await kept(), [[id, 'request_replayed', stage.now()]])
})

test('a code that brings no token leaves what was wrong, and one that does leaves nothing', async () => {
  const set = await setUp()
  const cases: [RequestRefusal, Params][] = [
    ['client_secret', { client_secret: 'wrong' }],
    ['client_secret', { client_secret: undefined }],
    ['code_verifier', { code_verifier: undefined }],
    ['code_verifier', { code_verifier: 'x'.repeat(50) }],
    ['code_redirect_uri', { redirect_uri: 'https://evil.example/' }],
    ['code', { code: 'y'.repeat(43) }],
    ['grant_type', { grant_type: 'refresh_token' }],
    ['grant_type', { grant_type: 'client_credentials' }],
    ['request_invalid', { code: undefined }],
  ]
  for (const [reason, params] of cases) {
    const { id, clientId, clientSecret } = await connect(set)
    const one = { ...set, connection: { id, clientId, clientSecret } }
    const status = await redeem(one, await codeOf(one), params)
    assert.ok(status === 400 || status === 401, `${reason}: ${status}`)
    assert.deepEqual(await kept(), [[id, reason, stage.now()]], JSON.stringify(params))
    await stage.db.deleteFrom('signin_refusals').execute()
  }
  const code = await codeOf(set)
  assert.equal(await redeem(set, code), 200)
  assert.deepEqual(await kept(), [])
  assert.equal(await redeem(set, code), 400)
  assert.deepEqual(await kept(), [[set.connection.id, 'code', stage.now()]])
})

test('what is answered about a person, and what names no connection, is kept nowhere', async () => {
  const set = await setUp()
  const { location } = await request(set, set.connection.clientId, { prompt: 'none' })
  assert.match(location, /error=\w+_required/)
  await request(set, 'muster-nobody', noPkce)
  assert.equal(await redeem({ ...set, connection: { ...set.connection, clientId: 'muster-nobody' } }, 'x'), 401)
  assert.deepEqual(await kept(), [])
})

test('requests without end write once a minute and connection, in one process and in several', async () => {
  const set = await setUp()
  const { id, clientId } = set.connection
  const first = stage.now()
  await Promise.all(Array.from({ length: 20 }, () => request(set, clientId, noPkce)))
  const connection = await read(set)
  await refusalNotes(stage.db)(connection, 'response_type', plusMs(first, minuteMs - 1))
  assert.deepEqual(await kept(), [[id, 'pkce_missing', first]])
  await refusalNotes(stage.db)(connection, 'response_type', plusMs(first, minuteMs))
  assert.deepEqual(await kept(), [[id, 'response_type', plusMs(first, minuteMs)]])
  // What a clock that was ahead has written is in nobody's way.
  await refusalNotes(stage.db)(connection, 'code', first)
  assert.deepEqual(await kept(), [[id, 'code', first]])
})

test('a refusal that cannot be written is logged, and the application hears the same', async () => {
  const set = await setUp()
  await sql`alter table signin_refusals rename to refusals_elsewhere`.execute(stage.db)
  try {
    const { status, location } = await request(set, set.connection.clientId, noPkce)
    assert.deepEqual([status, new URL(location).searchParams.get('error')], [303, 'invalid_request'])
    const said = warned.filter((facts) => 'connectionId' in facts)
    assert.deepEqual(
      said.map(({ connectionId }) => connectionId),
      [set.connection.id],
    )
  } finally {
    await sql`alter table refusals_elsewhere rename to signin_refusals`.execute(stage.db)
  }
})

test('the refusal is gone once what it was judged by is changed, and stays when something else is', async () => {
  const set = await setUp()
  const { id, clientId } = set.connection
  await request(set, clientId, noPkce)
  await transact(stage.db, (tx) => changeConnection(tx, { id, name: 'Payroll 2', mode: 'observe' }, change()))
  assert.equal((await kept()).length, 1)
  await transact(stage.db, (tx) => changeConnection(tx, { id, requiresPkce: false }, change()))
  assert.deepEqual(await kept(), [])
  // Whoever tries again learns at once what is wrong now.
  await request(set, clientId, { ...noPkce, nonce: undefined })
  assert.deepEqual(await kept(), [[id, 'nonce_missing', stage.now()]])
  await transact(stage.db, (tx) => rollConnectionSecret(tx, stage.secrets, { id }, change()))
  assert.deepEqual(await kept(), [])
})

test('an application without PKCE signs in once that is lifted, with a nonce in its place', async () => {
  const set = await setUp()
  const { id, clientId } = set.connection
  const asked = { ...set.rp.plainRequest(clientId), ...noPkce }
  const { location } = await request(set, clientId, noPkce)
  assert.match(decodeURIComponent(location), /error=invalid_request&error_description=.*requires.PKCE/)
  await transact(stage.db, (tx) => changeConnection(tx, { id, requiresPkce: false }, change()))
  const bare = { ...set, rp: { ...set.rp, plainRequest: () => Object.fromEntries(without(asked)) } }
  const code = await codeOf(bare)
  assert.equal(await redeem(bare, code, { code_verifier: undefined }), 200)
  const refused = await request(set, clientId, { ...noPkce, nonce: undefined })
  assert.match(decodeURIComponent(refused.location), /error=invalid_request&error_description=.*nonce/)
  // Whoever sends PKCE has to keep to it, and needs no nonce.
  const withPkce = await codeOf({
    ...set,
    rp: {
      ...set.rp,
      plainRequest: () => Object.fromEntries(without({ ...set.rp.plainRequest(clientId), nonce: undefined })),
    },
  })
  assert.equal(await redeem(set, withPkce, { code_verifier: undefined }), 400)
  assert.equal(await redeem(set, withPkce), 200)
})

test('PKCE stays required of public clients and of a second step, whoever asks', async () => {
  const set = await setUp()
  const isRefused = (error: { errors?: { field: string }[] }) => {
    assert.deepEqual(
      error.errors?.map(({ field }) => field),
      ['requires_pkce'],
    )
    return true
  }
  const kinds: Partial<NewConnection>[] = [
    { isPublic: true },
    { kind: 'second_step', upstreamId: null, requestKeys: [set.rp.jwk] },
  ]
  for (const more of kinds) {
    await assert.rejects(connect(set, { ...more, requiresPkce: false }), isRefused)
    const { id, clientId } = await connect(set, more)
    const lift = transact(stage.db, (tx) => changeConnection(tx, { id, requiresPkce: false }, change()))
    await assert.rejects(lift, isRefused)
    const columns = { requires_pkce: false }
    const byHand = stage.db.updateTable('signin_connections').set(columns).where('client_id', '=', clientId).execute()
    await assert.rejects(byHand, /signin_connections_pkce_check/)
  }
})
