import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { baseUrl } from '../../../test/support/app.ts'
import { honestUpstream } from '../../../test/support/honest-upstream.ts'
import { json } from '../../../test/support/hostile-provider.ts'
import { transact } from '../../base/db/transact.ts'
import { changeConnection } from '../connections/change-connection.ts'
import { changeUpstream } from '../upstreams/change-upstream.ts'
import { signingOutMarks } from './signing-out.ts'

const { stage, make, change, setUp, leave, pass, tokensOf, provider } = await honestUpstream()
const { host } = new URL(baseUrl)
const back = 'https://payroll.example/signed-out?from=muster%20here'
const form = 'application/x-www-form-urlencoded'

/** The upstream says where it signs people out. */
const publish = (more: object) =>
  provider.endpoints.set('/.well-known/openid-configuration', json({ ...provider.metadata, ...more }))

beforeEach(() => publish({ end_session_endpoint: `${provider.issuer}/sign-out?ui=1` }))

type Set = Awaited<ReturnType<typeof setUp>>

const setUpLedBack = (addresses: string[] = [back]) => setUp({ postLogoutRedirectUris: addresses })

async function idTokenOf(set: Set): Promise<string> {
  const visit = await leave(set)
  const { away = '' } = await visit.follow(await pass(set, visit))
  return (await tokensOf(set, away)).body['id_token'] ?? ''
}

async function ask(params: Record<string, string> | string, { method = 'GET', type = form, from = '192.0.2.7' } = {}) {
  const text = typeof params === 'string' ? params : new URLSearchParams(params).toString()
  const path = '/signin/oidc/session/end'
  const reply = await stage.app.inject({
    ...(method === 'GET' ? { url: `${path}?${text}` } : { url: path, payload: text }),
    ...{ method: method as 'GET', remoteAddress: from },
    headers: { host, ...(method !== 'GET' && { 'content-type': type, origin: 'https://payroll.example' }) },
  })
  const said = (pattern: RegExp) => pattern.exec(reply.payload)?.[1]?.replaceAll('&#38;', '&').replaceAll('&#47;', '/')
  return {
    status: reply.statusCode,
    location: reply.headers.location,
    title: said(/<h1[^>]*>([^<]+)/),
    text: said(/class="lead">([^<]+)/),
    way: said(/class="btn p" href="([^"]+)"/),
  }
}

const endpointOf = async () =>
  (await stage.app.inject({ url: '/signin/oidc/.well-known/openid-configuration', headers: { host } })).json()[
    'end_session_endpoint'
  ] as string | undefined

const signOutUpstream = ({ upstreamId }: Set, signsOut = true) =>
  transact(stage.db, (tx) => changeUpstream(tx, { id: upstreamId, signsOut }, change()))

test('the endpoint is published once an application is led back, and until none is', async () => {
  const set = await setUp()
  assert.equal(await endpointOf(), undefined)
  const { id } = set.connection
  await transact(stage.db, (tx) => changeConnection(tx, { id, postLogoutRedirectUris: [back] }, change()))
  await leave(set)
  assert.equal(await endpointOf(), `${baseUrl}/signin/oidc/session/end`)
  await transact(stage.db, (tx) => changeConnection(tx, { id, postLogoutRedirectUris: [] }, change()))
  await leave(set)
  assert.equal(await endpointOf(), undefined)
})

test('an ID token alone names the application, which is led back with its state by GET and by POST', async () => {
  const set = await setUpLedBack()
  const hint = await idTokenOf(set)
  for (const method of ['GET', 'POST']) {
    const { status, location } = await ask(
      { id_token_hint: hint, post_logout_redirect_uri: back, state: 'a b&c' },
      { method },
    )
    assert.deepEqual([status, location], [303, `${back}&state=a+b%26c`], method)
  }
  assert.equal((await ask({ id_token_hint: hint, post_logout_redirect_uri: back })).location, back)
})

test('an ID token is a hint for good: after it has expired, and after its key was retired, but not withdrawn', async () => {
  const set = await setUpLedBack()
  const hint = await idTokenOf(set)
  const asked = { id_token_hint: hint, post_logout_redirect_uri: back }
  await stage.db
    .updateTable('signing_keys')
    .set({ retired_at: '2020-01-01T00:00:00.000Z' })
    .where('purpose', '=', 'oidc')
    .execute()
  stage.setNow('2031-01-01T00:00:00.000Z')
  assert.equal((await ask(asked)).location, back)
  await stage.db.updateTable('signing_keys').set({ withdrawn_at: stage.now() }).where('purpose', '=', 'oidc').execute()
  assert.equal((await ask(asked)).status, 400)
})

test('what is no ID token of the organization for this application leads nobody anywhere', async () => {
  const set = await setUpLedBack()
  const hint = await idTokenOf(set)
  const { clientId } = set.connection
  const [header = '', payload = '', signature = ''] = hint.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const forge = (aud: string) => new SignJWT({ aud }).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
  // A key of the same organization that signs something else.
  await stage.db
    .insertInto('signing_keys')
    .values({
      ...{ organization_id: set.organizationId, kid: 'signals', purpose: 'signals' },
      ...{ sealed_private_key: Buffer.from('x'), public_jwk: JSON.stringify(await exportJWK(publicKey)) },
      ...{ created_at: stage.now(), active_from: stage.now(), retired_at: null, withdrawn_at: null },
    } as never)
    .execute()
  const foreign = await new SignJWT({ aud: clientId })
    .setProtectedHeader({ alg: 'RS256', kid: 'signals' })
    .sign(privateKey)
  const unsigned = `${Buffer.from(JSON.stringify({ alg: 'none', kid })).toString('base64url')}.${payload}.`
  const cut = `${header}.${payload}.${signature.slice(0, -8)}AAAAAAAA`
  for (const [name, asked] of Object.entries({
    forged: { id_token_hint: await forge(clientId) },
    'of another purpose': { id_token_hint: foreign },
    unsigned: { id_token_hint: unsigned },
    cut: { id_token_hint: cut },
    'no token': { id_token_hint: 'hello' },
    'of another client': { id_token_hint: hint, client_id: 'muster-another' },
    'of nobody': { client_id: 'muster-nobody' },
    'too long': { id_token_hint: hint, state: 'x'.repeat(2_001) },
  })) {
    const { status, location, title } = await ask({ post_logout_redirect_uri: back, ...asked })
    assert.deepEqual([status, location, title], [400, undefined, 'You may still be signed in'], name)
  }
  const twice = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: back })
  twice.append('post_logout_redirect_uri', 'https://evil.example/')
  assert.equal((await ask(twice.toString())).status, 400)
  assert.equal((await ask({ client_id: '\0' }, { method: 'POST' })).status, 400)
  const asJson = { method: 'POST', type: 'application/json' }
  assert.equal((await ask(JSON.stringify({ client_id: clientId }), asJson)).status, 415)
})

test('what one organization has signed says nothing to another', async () => {
  const set = await setUpLedBack()
  const hint = await idTokenOf(set)
  const other = await make.organization({ name: 'Other' })
  await stage.db.updateTable('signing_keys').set({ organization_id: other.id }).where('purpose', '=', 'oidc').execute()
  assert.equal((await ask({ id_token_hint: hint, post_logout_redirect_uri: back })).status, 400)
  const { clientId } = set.connection
  const written = signingOutMarks(stage.secrets, other.id).write({ clientId, returnTo: back })
  assert.equal((await comeBack(written)).status, 400)
  const own = signingOutMarks(stage.secrets, set.organizationId).write({ clientId, returnTo: back })
  assert.equal((await comeBack(own)).location, back)
})

test('an address that is not registered is not led to: the page says so, and IT finds it at the connection', async () => {
  const set = await setUpLedBack()
  const hint = await idTokenOf(set)
  for (const address of ['https://evil.example/', `${back}/`, back.toUpperCase(), 'javascript:alert(1)']) {
    const { status, location, title, way } = await ask({ id_token_hint: hint, post_logout_redirect_uri: address })
    assert.deepEqual([status, location, title], [400, undefined, 'You may still be signed in to Payroll'], address)
    assert.equal(way, `${provider.issuer}/sign-out?ui=1&client_id=muster`)
  }
  const kept = await stage.db.selectFrom('signin_refusals').selectAll().execute()
  assert.deepEqual(
    kept.map(({ connection_id: id, reason }) => [id, reason]),
    [[set.connection.id, 'post_logout_redirect_uri']],
  )
})

test('the page says what has ended, and no more', async () => {
  const set = await setUp()
  const hint = await idTokenOf(set)
  assert.deepEqual(await ask({ id_token_hint: hint }), {
    ...{ status: 200, location: undefined, title: 'Signed out of Payroll' },
    text: 'You are still signed in at Example ID.',
    way: `${provider.issuer}/sign-out?ui=1&client_id=muster`,
  })
  assert.deepEqual(await ask({ client_id: set.connection.clientId }), await ask({ id_token_hint: hint }))
  await stage.db.updateTable('signin_upstreams').set({ end_session_endpoint: null }).execute()
  const { text, way } = await ask({ id_token_hint: hint })
  assert.deepEqual([text, way], ['You are still signed in at Example ID.', undefined])
  const { status, title } = await ask({})
  assert.deepEqual([status, title], [200, 'Sign out in your app'])
})

test('an upstream where our address is registered is signed out first, and leads back to the application with its state', async () => {
  const set = await setUpLedBack()
  const hint = await idTokenOf(set)
  await signOutUpstream(set)
  const away = new URL(
    (await ask({ id_token_hint: hint, post_logout_redirect_uri: back, state: 'täglich' })).location ?? '',
  )
  const { state = '', ...sent } = Object.fromEntries(away.searchParams)
  assert.equal(`${away.origin}${away.pathname}`, `${provider.issuer}/sign-out`)
  const ours = `${baseUrl}/signin/upstream/signed-out`
  assert.deepEqual(sent, { ui: '1', client_id: 'muster', post_logout_redirect_uri: ours })
  assert.equal((await comeBack(state)).location, `${back}&state=t%C3%A4glich`)
  // Only what was written here leads anywhere.
  for (const other of [
    '',
    'x',
    `${state}A`,
    `${state.split('.')[0]}.AAAAAAAAAAAAAAAAAAAAAA`,
    state.replace(/^./, 'X'),
  ]) {
    assert.deepEqual(await comeBack(other), { status: 400, location: undefined, title: 'You may still be signed in' })
  }
  // Nor is anyone led to an address that was taken away meanwhile.
  const { id } = set.connection
  await transact(stage.db, (tx) => changeConnection(tx, { id, postLogoutRedirectUris: [] }, change()))
  assert.equal((await comeBack(state)).title, 'Signed out of Payroll and Example ID')
})

test('an application that is led nowhere ends at a page that names both', async () => {
  const set = await setUpLedBack()
  await signOutUpstream(set)
  const away = new URL((await ask({ client_id: set.connection.clientId })).location ?? '')
  assert.deepEqual(await comeBack(away.searchParams.get('state') ?? ''), {
    ...{ status: 200, location: undefined, title: 'Signed out of Payroll and Example ID' },
  })
  await signOutUpstream(set, false)
  assert.equal((await ask({ client_id: set.connection.clientId })).title, 'Signed out of Payroll')
})

test('an upstream without an address for it cannot be signed out', async () => {
  publish({})
  const set = await setUp()
  await assert.rejects(signOutUpstream(set), (error: { errors?: { field: string }[] }) => {
    assert.deepEqual(
      error.errors?.map(({ field }) => field),
      ['signs_out'],
    )
    return true
  })
})

test('one network that asks without end is told to wait, and keeps nobody else from signing out', async () => {
  const set = await setUpLedBack()
  const asked = { client_id: set.connection.clientId, post_logout_redirect_uri: back }
  const answers = await Promise.all(Array.from({ length: 620 }, () => ask(asked, { from: '198.51.100.9' })))
  const statuses = answers.map(({ status }) => status)
  assert.deepEqual([statuses[0], statuses.at(-1)], [303, 429])
  assert.equal((await ask(asked, { from: '203.0.113.9' })).status, 303)
})

async function comeBack(state: string) {
  const url = `/signin/upstream/signed-out?${new URLSearchParams({ state })}`
  const reply = await stage.app.inject({ url, headers: { host } })
  const title = /<h1[^>]*>([^<]+)/.exec(reply.payload)?.[1]
  return { status: reply.statusCode, location: reply.headers.location, title }
}
