import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { json, startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { freePort } from '../../../test/support/muster-process.ts'
import type { Resolve } from '../../base/outbound/resolve-name.ts'
import { upstreamEgress } from '../egress/upstream-egress.ts'
import { readMetadata } from './read-metadata.ts'

const provider = await startHostileProvider()
after(() => provider.stop())

const app = testApp({ env: { MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1/32,inner.example' } })

beforeEach(async () => {
  provider.reset()
  await app.reset()
})

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const at = '/session/sign_in_upstreams'
const metadataPath = '/.well-known/openid-configuration'
const keycloak = () => ({
  ...{ name: 'Keycloak', provider: 'keycloak', issuer: provider.issuer, client_id: 'muster' },
  client_secret: 'a-secret-of-the-tests',
})

test('createSignInUpstream, listSignInUpstreams, changeSignInUpstream, replaceSignInUpstreamSecret and deleteSignInUpstream', async () => {
  const browser = await signedIn()
  const made = await browser.ask('POST', at, { ...keycloak(), email_domains: ['Example.COM', 'example.com'] })
  const redirect = `${baseUrl}/signin/upstream/return`
  const { id } = made.body
  const signedOut = `${baseUrl}/signin/upstream/signed-out`
  const addresses = { redirect_uri: redirect, post_logout_redirect_uri: signedOut }
  assert.deepEqual([made.status, made.body], [200, { id, ...addresses }])
  const list = async () => (await browser.ask('GET', '/views/sign_in_upstreams')).body.data
  const [{ created_at: _, ...shown }] = await list()
  const { client_secret: _secret, ...asked } = keycloak()
  assert.deepEqual(shown, {
    ...{ id, ...asked, tenant: null, email_domains: ['example.com'], creates_people: false },
    ...{ ...addresses, signs_out: false },
  })
  const tenant = { claim: 'tid', value: 'a1' }
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { tenant, name: 'KC' })).status, 204)
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { tenant })).status, 204)
  assert.deepEqual((await list())[0].tenant, tenant)
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { creates_people: true })).status, 204)
  assert.equal((await list())[0].creates_people, true)
  const without = await browser.ask('PATCH', `${at}/${id}`, { signs_out: true })
  assert.deepEqual([without.status, without.body.errors[0].field], [422, 'signs_out'])
  await app.db
    .updateTable('signin_upstreams')
    .set({ end_session_endpoint: `${provider.issuer}/out` })
    .execute()
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { signs_out: true })).status, 204)
  assert.equal((await list())[0].signs_out, true)
  const { status, body: objection } = await browser.ask('PATCH', `${at}/${id}`, { email_domains: [] })
  assert.deepEqual([status, objection.errors[0].field], [422, 'creates_people'])
  const sealed = async () =>
    (await app.db.selectFrom('signin_upstreams').select('sealed_client_secret').executeTakeFirstOrThrow())
      .sealed_client_secret
  const before = await sealed()
  assert.ok(!before.includes(keycloak().client_secret))
  assert.equal((await browser.ask('POST', `${at}/${id}/replace_secret`, { client_secret: 'another' })).status, 204)
  assert.notDeepEqual(await sealed(), before)
  const application = { kind: 'application', name: 'Payroll', upstream_id: id }
  const connection = { ...application, redirect_uris: ['https://payroll.example.com/callback'] }
  const { body } = await browser.ask('POST', '/session/sign_in_connections', connection)
  const [listed] = (await browser.ask('GET', '/views/sign_in_connections')).body.data
  assert.deepEqual([listed.upstream_id, listed.kind], [id, 'application'])
  const refused = await browser.ask('DELETE', `${at}/${id}`)
  assert.deepEqual([refused.status, refused.body.message], [422, 'People still sign in to "Payroll" through it.'])
  assert.equal((await browser.ask('DELETE', `/session/sign_in_connections/${body.id}`)).status, 204)
  assert.equal((await browser.ask('DELETE', `${at}/${id}`)).status, 204)
  assert.equal((await browser.ask('DELETE', `${at}/${id}`)).status, 404)
  const actions = await app.db.selectFrom('audit_logs').select(['action', 'description']).orderBy('id').execute()
  assert.deepEqual(
    actions.map(({ action }) => action).filter((action) => action?.startsWith('signin_')),
    [
      ...['signin_upstream.created', 'signin_upstream.changed', 'signin_upstream.changed', 'signin_upstream.changed'],
      'signin_upstream.secret_replaced',
      ...['signin_connection.created', 'signin_connection.deleted', 'signin_upstream.deleted'],
    ],
  )
  assert.ok(!JSON.stringify(actions).includes(keycloak().client_secret))
})

test('what cannot vouch for anyone is refused by field', async () => {
  const browser = await signedIn()
  const faultOf = async (more: object) => {
    const { status, body } = await browser.ask('POST', at, { ...keycloak(), ...more })
    return [status, body.errors?.[0]?.field]
  }
  assert.deepEqual(await faultOf({ provider: 'google' }), [422, 'tenant'])
  assert.deepEqual(await faultOf({ provider: 'google', tenant: { claim: 'tid', value: 'x' } }), [422, 'tenant'])
  for (const domain of ['exämple.com', 'example', '*.example.com', 'a@example.com', 'ex ample.com', '-a.com']) {
    assert.deepEqual(await faultOf({ email_domains: [domain] }), [422, 'email_domains'], domain)
  }
  assert.deepEqual(await faultOf({ provider: 'entra' }), [422, 'issuer'])
  const { id } = (await browser.ask('POST', at, keycloak())).body
  assert.ok(id)
  await app.db.updateTable('signin_upstreams').set({ provider: 'entra' }).execute()
  const bare = await browser.ask('PATCH', `${at}/${id}`, { email_domains: [] })
  assert.deepEqual([bare.status, bare.body.errors[0].field], [422, 'email_domains'])
  const { status, body } = await browser.ask('POST', '/session/sign_in_connections', {
    ...{ kind: 'application', name: 'Payroll', upstream_id: '99' },
    redirect_uris: ['https://payroll.example.com/callback'],
  })
  assert.deepEqual([status, body.errors[0].field], [422, 'upstream_id'])
})

test('an upstream of one organization is none of another', async () => {
  const browser = await signedIn()
  const { id } = (await browser.ask('POST', at, keycloak())).body
  const { organizationId } = await app.addTenant()
  const stranger = await signedIn({ organizationId, email: 'eve@globex.example' })
  for (const [method, path, body] of [
    ['PATCH', `${at}/${id}`, { name: 'Mine' }],
    ['POST', `${at}/${id}/replace_secret`, { client_secret: 'mine' }],
    ['DELETE', `${at}/${id}`, undefined],
  ] as const) {
    assert.equal((await stranger.ask(method, path, body)).status, 404, path)
  }
})

const settings = (listed: string[]) =>
  upstreamEgress({
    ...{ baseUrl, databaseUrl: undefined, privateIdentityProviders: listed },
    ...{ egressNat64Prefixes: [], egressSharedAddresses: [] },
  })

const faultAt = (listed: string[], issuer: string, resolve?: Resolve) =>
  readMetadata(
    { ...settings(listed), ...(resolve && { resolve }) },
    { provider: 'oidc', issuer, clientId: 'muster', clientSecret: 's' },
  ).then(
    () => undefined,
    (error: { errors?: { field: string; message: string }[] }) => error.errors?.[0]?.message,
  )

test('an issuer that does not answer, is another, or leads elsewhere is refused in words', async () => {
  const listed = ['127.0.0.1']
  assert.equal(await faultAt(listed, provider.issuer), undefined)
  assert.match((await faultAt(listed, `${provider.issuer}/realm`)) ?? '', /must answer at/)
  provider.endpoints.set(metadataPath, json({ ...provider.metadata, issuer: 'https://other.example' }))
  assert.match((await faultAt(listed, provider.issuer)) ?? '', /as the provider itself writes it/)
  for (const wrong of [{ authorization_endpoint: 'javascript:alert(1)' }, { response_types_supported: ['id_token'] }]) {
    provider.endpoints.set(metadataPath, json({ ...provider.metadata, ...wrong }))
    assert.match((await faultAt(listed, provider.issuer)) ?? '', /authorization endpoint/)
  }
  const { port } = new URL(provider.insideOrigin)
  provider.endpoints.set(metadataPath, (response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
  )
  assert.match((await faultAt(listed, provider.issuer)) ?? '', /must answer at/)
  assert.equal(provider.inward(), 0)
  assert.equal(await faultAt(listed, `http://127.0.0.1:${await freePort()}`), 'does not answer')
})

test('an issuer inside is refused unless the operator lists it, and nothing of it is called', async () => {
  const { host, port } = new URL(provider.issuer)
  assert.match((await faultAt([], provider.issuer)) ?? '', /https/)
  for (const issuer of [`https://${host}`, `https://localhost:${port}`, 'https://10.0.0.1', 'https://[::1]:8443']) {
    assert.match((await faultAt([], issuer)) ?? '', /publicly reachable host|does not answer/, issuer)
  }
  assert.match((await faultAt(['10.0.0.0/8'], `https://${host}`)) ?? '', /MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS/)
  assert.deepEqual(provider.asked, [])
  // Listed, it is dialed: nobody speaks TLS there.
  assert.equal(await faultAt(['127.0.0.1'], `https://${host}`), 'does not answer')
  for (const issuer of [
    'http://id.example.com',
    'https://u:p@id.example.com',
    'https://id.example.com/?a',
    'file:///etc',
  ]) {
    assert.match((await faultAt(['127.0.0.1'], issuer)) ?? '', /^must /, issuer)
  }
})

test('a name that cannot be looked up is said to be one, and a name inside not to be public', async () => {
  const faultWith = (resolve: Resolve, issuer = 'https://id.example.com') => faultAt([], issuer, resolve)
  const missing: Resolve = (_host, callback) => callback(new Error('NXDOMAIN'), [])
  const failing: Resolve = (_host, callback) => callback(new Error('SERVFAIL of ns1.inner.example'), [])
  const empty: Resolve = (_host, callback) => callback(null, [])
  const unknown = 'could not be looked up: check the spelling of the host, and the DNS of this server'
  for (const resolve of [missing, failing, empty]) assert.equal(await faultWith(resolve), unknown)
  for (const address of ['10.0.0.1', '127.0.0.1', '169.254.169.254']) {
    const inner: Resolve = (_host, callback) => callback(null, [{ address, family: 4 }])
    assert.match((await faultWith(inner)) ?? '', /^must be on a publicly reachable host/)
  }
  assert.match((await faultWith(missing, 'https://10.0.0.1')) ?? '', /^must be on a publicly reachable host/)
  for (const host of ['localhost', 'id.corp', 'id.internal', 'id']) {
    assert.match((await faultWith(missing, `https://${host}`)) ?? '', /^must be on a publicly reachable host/, host)
  }
  assert.deepEqual(provider.asked, [])
})

test('metadata with text that no database holds is refused, or left out where it can be', async () => {
  const browser = await signedIn()
  for (const odd of ['\0', '\ud800']) {
    const authorization = { ...provider.metadata, authorization_endpoint: `${provider.issuer}/authorize${odd}` }
    provider.endpoints.set(metadataPath, json(authorization))
    const refused = await browser.ask('POST', at, keycloak())
    assert.deepEqual([refused.status, refused.body.errors[0].field], [422, 'issuer'])
    provider.endpoints.set(
      metadataPath,
      json({ ...provider.metadata, end_session_endpoint: `${provider.issuer}/${odd}` }),
    )
    assert.equal((await browser.ask('POST', at, keycloak())).status, 200)
  }
  const kept = await app.db.selectFrom('signin_upstreams').select('end_session_endpoint').execute()
  assert.deepEqual(kept, [{ end_session_endpoint: null }, { end_session_endpoint: null }])
})
