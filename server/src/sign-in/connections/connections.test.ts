import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { relyingParty } from '../../../test/support/sign-in-browser.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { listRing } from '../../keys/signing-keys.ts'

const app = testApp()
const make = makeIn(app.database)

beforeEach(async () => app.reset())

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const at = '/session/sign_in_connections'
const { jwk } = await relyingParty()
const payroll = {
  ...{ kind: 'second_step', name: 'Payroll', redirect_uris: ['https://payroll.example.com/callback'] },
  request_keys: { keys: [jwk] },
}

const actionsOf = async () =>
  (await app.db.selectFrom('audit_logs').select('action').orderBy('id').execute()).map(({ action }) => action)

test('createSignInConnection, listSignInConnections, changeSignInConnection, rollSignInConnectionSecret, getSignInConnection and deleteSignInConnection', async () => {
  const browser = await signedIn()
  const made = await browser.ask('POST', at, { ...payroll, wait_seconds: 300 })
  assert.equal(made.status, 200)
  const { id, client_id: clientId, client_secret: secret } = made.body
  assert.equal(made.body.issuer, `${baseUrl}/signin/oidc`)
  const list = async () => (await browser.ask('GET', '/views/sign_in_connections')).body.data
  const [listed] = await list()
  const { created_at: _, ...shown } = listed
  assert.deepEqual(shown, {
    id,
    entra: null,
    mode: 'observe',
    paused_until: null,
    pause_reason: null,
    client_id: clientId,
    is_public: false,
    issuer: `${baseUrl}/signin/oidc`,
    ...payroll,
    post_logout_redirect_uris: [],
    requires_pkce: true,
    request_keys_url: null,
    request_algorithm: 'RS256',
    start_url: null,
    is_browser_managed: false,
    wait_seconds: 300,
    upstream_id: null,
    groups: [],
    last_sign_in_at: null,
    signed_in_count: 0,
    failed_count: 0,
    last_failure: null,
    last_refusal: null,
  })
  assert.deepEqual((await browser.ask('GET', `/views/sign_in_connections/${id}`)).body, listed)
  const refusal = { reason: 'redirect_uri', refused_at: app.now() } as const
  const row = { organization_id: app.tenant.organizationId, connection_id: id, ...refusal }
  await app.db.insertInto('signin_refusals').values(row).execute()
  assert.deepEqual((await list())[0].last_refusal, refusal)
  assert.deepEqual((await browser.ask('GET', `/views/sign_in_connections/${id}`)).body.last_refusal, refusal)
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { mode: 'disabled' })).status, 204)
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { mode: 'disabled' })).status, 204)
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { name: 'Pay' })).status, 204)
  const [changed] = await list()
  assert.deepEqual([changed.mode, changed.name, changed.request_algorithm], ['disabled', 'Pay', 'RS256'])
  const rolled = await browser.ask('POST', `${at}/${id}/roll_secret`)
  assert.equal(rolled.body.client_id, clientId)
  assert.notEqual(rolled.body.client_secret, secret)
  assert.equal((await browser.ask('DELETE', `${at}/${id}`)).status, 204)
  assert.equal((await browser.ask('DELETE', `${at}/${id}`)).status, 404)
  assert.deepEqual(await list(), [])
  assert.deepEqual((await actionsOf()).slice(-5), [
    'signin_connection.created',
    'signin_connection.changed',
    'signin_connection.changed',
    'signin_connection.secret_rolled',
    'signin_connection.deleted',
  ])
})

const tenant = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
const asked = { name: 'Microsoft 365', cloud: 'global', tenant_ids: [tenant], app_id: tenant.replace('5f', 'c0') }

test('createEntraConnection says all that Entra is set up with, and changeSignInConnection changes its settings', async () => {
  const browser = await signedIn()
  const made = await browser.ask('POST', '/session/entra_connections', { ...asked, app_id: asked.app_id.toUpperCase() })
  assert.equal(made.status, 200)
  const { id, client_id: clientId, ...addresses } = made.body
  const issuer = `${baseUrl}/signin/entra/${id}`
  const discoveryUrl = `${issuer}/.well-known/openid-configuration`
  const endpoint = `${issuer}/authorize`
  assert.deepEqual(addresses, { issuer, discovery_url: discoveryUrl, authorization_endpoint: endpoint })
  const list = async () => (await browser.ask('GET', '/views/sign_in_connections')).body.data
  const [listed] = await list()
  const { created_at: _, ...shown } = listed
  const entra = { cloud: 'global', tenant_ids: [tenant], app_id: asked.app_id }
  assert.deepEqual(shown, {
    id,
    kind: 'entra',
    entra: { ...entra, discovery_url: discoveryUrl, authorization_endpoint: endpoint },
    name: 'Microsoft 365',
    mode: 'observe',
    client_id: clientId,
    is_public: false,
    issuer,
    redirect_uris: ['https://login.microsoftonline.com/common/federation/externalauthprovider'],
    ...{ request_keys: null, request_keys_url: null, request_algorithm: null },
    ...{ upstream_id: null, groups: [], paused_until: null, pause_reason: null },
    ...{ last_sign_in_at: null, signed_in_count: 0, failed_count: 0, last_failure: null, last_refusal: null },
    ...{ post_logout_redirect_uris: [], requires_pkce: true },
    start_url: null,
    is_browser_managed: false,
    wait_seconds: 300,
  })
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { name: 'Microsoft' })).status, 204)
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { entra: { cloud: 'china' } })).status, 204)
  const [changed] = await list()
  assert.deepEqual(
    [changed.name, changed.entra.cloud, changed.entra.app_id, changed.redirect_uris],
    [
      'Microsoft',
      'china',
      asked.app_id,
      ['https://login.partner.microsoftonline.cn/common/federation/externalauthprovider'],
    ],
  )
  const last = await app.db.selectFrom('audit_logs').select('changes').orderBy('id', 'desc').executeTakeFirstOrThrow()
  assert.deepEqual(last.changes?.map(({ field }) => field).toSorted(), ['entra_cloud', 'redirect_uris'])
  assert.equal((await browser.ask('POST', `${at}/${id}/roll_secret`)).status, 422)
})

test('what a connection of Entra does not have is refused by field, as Entra is by every other one', async () => {
  const browser = await signedIn()
  const { id } = (await browser.ask('POST', '/session/entra_connections', asked)).body
  const other = (await browser.ask('POST', at, payroll)).body.id
  const faultOf = async (method: string, path: string, body: object) => {
    const answer = await browser.ask(method, path, body)
    return [answer.status, answer.body.errors?.[0]?.field]
  }
  const wrong = 'zzzzzzzz-9d34-4e0b-8c61-2a7e93d0f415'
  assert.deepEqual(await faultOf('POST', '/session/entra_connections', { ...asked, app_id: wrong }), [422, 'app_id'])
  const tenants = { ...asked, tenant_ids: [tenant, wrong] }
  assert.deepEqual(await faultOf('POST', '/session/entra_connections', tenants), [422, 'tenant_ids'])
  const change = (body: object, of = id) => faultOf('PATCH', `${at}/${of}`, body)
  assert.deepEqual(await change({ wait_seconds: 600 }), [422, 'wait_seconds'])
  assert.deepEqual(await change({ redirect_uris: ['https://evil.example/'] }), [422, 'redirect_uris'])
  assert.deepEqual(await change({ entra: { tenant_ids: [wrong] } }), [422, 'tenant_ids'])
  assert.deepEqual(await change({ entra: { cloud: 'china' } }, other), [422, 'entra'])
  assert.deepEqual(await change({ request_keys: { keys: [jwk] } }), [422, 'request_keys'])
})

test('rotateSignInKeys publishes the next key of Entra two days before it signs, and leaves other keys alone', async () => {
  const browser = await signedIn()
  await browser.ask('POST', '/session/entra_connections', asked)
  const rotate = () => browser.ask('POST', '/session/sign_in_keys/rotate', { is_emergency: false, purpose: 'entra' })
  // Nobody can have fetched the keys before the first.
  assert.equal((await rotate()).body.active_from, app.now())
  const { body } = await rotate()
  assert.equal(Date.parse(body.active_from) - Date.parse(app.now()), 2 * 24 * 3_600_000)
  const rows = await app.db.selectFrom('signing_keys').select('purpose').where('kid', '=', body.kid).execute()
  assert.deepEqual(rows, [{ purpose: 'entra' }])
})

test('a connection can begin by observing', async () => {
  const browser = await signedIn()
  const { body } = await browser.ask('POST', at, { ...payroll, mode: 'observe' })
  assert.equal((await browser.ask('GET', `/views/sign_in_connections/${body.id}`)).body.mode, 'observe')
})

test('a connection shows how its sign-ins of a week ended, and not those that are still open', async () => {
  const browser = await signedIn()
  const { body } = await browser.ask('POST', at, payroll)
  const { organizationId } = app.tenant
  const daysAgo = (days: number) => new Date(Date.parse(app.now()) - days * 86_400_000).toISOString()
  const logOf = async (result: 'Success' | 'Fail', days: number, more: object = {}) => {
    const row = { result, started_at: daysAgo(days), connection_id: body.id, ...more }
    return make.authLog(organizationId, row)
  }
  await logOf('Success', 8)
  await logOf('Success', 2)
  await logOf('Fail', 1, { failure_reason: 'blocked_by_issues' })
  await logOf('Fail', 9, { failure_reason: 'agent_not_found' })
  await logOf('Success', 1, { connection_id: '999' })
  await logOf('Fail', 1, { connection_id: '999', failure_reason: 'cancelled' })
  const open = await logOf('Fail', 0)
  const touched = { organization_id: organizationId, auth_log_id: open.id, touched_at: app.now() }
  await app.db.insertInto('auth_log_open_sessions').values(touched).execute()
  const [shown] = (await browser.ask('GET', '/views/sign_in_connections')).body.data
  assert.deepEqual([shown.last_sign_in_at, shown.signed_in_count, shown.failed_count], [daysAgo(2), 1, 1])
  assert.deepEqual(shown.last_failure, { started_at: daysAgo(1), reason: 'blocked_by_issues' })
})

test('addresses that a code must not go to are refused by field', async () => {
  const browser = await signedIn()
  const faultOf = async (more: object) => {
    const { status, body } = await browser.ask('POST', at, { ...payroll, ...more })
    return [status, body.errors?.[0]?.field]
  }
  for (const address of [
    'http://payroll.example.com/',
    'https://a.example/#x',
    'javascript:alert(1)',
    'https://u:p@a.example/',
  ]) {
    assert.deepEqual(await faultOf({ redirect_uris: [address] }), [422, 'redirect_uris'], address)
  }
  assert.deepEqual(await faultOf({ start_url: 'http://payroll.example.com/' }), [422, 'start_url'])
  assert.equal((await browser.ask('POST', at, { ...payroll, redirect_uris: ['http://127.0.0.1:8081/cb'] })).status, 200)
})

test('a redirect address that no application can send is refused with what to write, and one from before stays', async () => {
  const browser = await signedIn()
  const messageOf = async (method: string, path: string, address: string) => {
    const { status, body } = await browser.ask(method, path, {
      ...(method === 'POST' && payroll),
      redirect_uris: [address],
    })
    return [status, body.errors?.[0]?.message]
  }
  const pattern = 'https://*.app.example/cb'
  const written = 'must be written as https://xn--mnchen-3ya.example/cb: https://münchen.example/cb'
  const whole = `must be a complete address, without wildcards (*): ${pattern}`
  assert.deepEqual(await messageOf('POST', at, pattern), [422, whole])
  assert.deepEqual(await messageOf('POST', at, 'https://münchen.example/cb'), [422, written])
  const { id } = (await browser.ask('POST', at, payroll)).body
  assert.deepEqual(await messageOf('PATCH', `${at}/${id}`, pattern), [422, whole])
  await app.db
    .updateTable('signin_connections')
    .set({ redirect_uris: [pattern] })
    .where('id', '=', id)
    .execute()
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { name: 'Pay', wait_seconds: 120 })).status, 204)
  const { name, redirect_uris: kept } = (await browser.ask('GET', `/views/sign_in_connections/${id}`)).body
  assert.deepEqual([name, kept], ['Pay', [pattern]])
})

test('connections need the power to manage sign-in, and a fresh proof of identity', async () => {
  const browser = await signedIn()
  const limited = await signedIn({ email: 'tom@acme.example', access: 'limited', restrictions: ['manage_sign_in'] })
  assert.equal((await limited.ask('POST', at, payroll)).status, 403)
  assert.equal((await limited.ask('GET', '/views/sign_in_connections')).status, 200)
  app.setNow(new Date(Date.parse(app.now()) + 20 * 60_000).toISOString())
  const late = await browser.ask('POST', at, payroll)
  assert.deepEqual([late.status, late.body.error], [403, 'step_up_needed'])
})

test('an organization without an address of its own has no connections, and none sees those of another', async () => {
  const browser = await signedIn()
  await browser.ask('POST', at, payroll)
  const other = await app.addTenant('Globex')
  const rows = await app.db.selectFrom('signin_connections').select('organization_id').execute()
  assert.deepEqual(rows, [{ organization_id: app.tenant.organizationId }])
  const stranger = await signedIn({ email: 'eve@globex.example', organizationId: other.organizationId })
  assert.deepEqual((await stranger.ask('GET', '/views/sign_in_connections')).body.data, [])
  await app.db.updateTable('organizations').set({ base_url: null }).where('id', '=', other.organizationId).execute()
  const refused = await stranger.ask('POST', at, payroll)
  assert.equal(refused.status, 422)
  assert.match(refused.body.message, /address of its own/)
  assert.equal((await stranger.ask('DELETE', `${at}/1`)).status, 404)
})

test('rotateSignInKeys publishes a key that signs later, and one that signs at once in an emergency', async () => {
  const browser = await signedIn()
  await browser.ask('POST', at, payroll)
  const rotate = (isEmergency: boolean) =>
    browser.ask('POST', '/session/sign_in_keys/rotate', { is_emergency: isEmergency })
  const ring = { organizationId: app.tenant.organizationId, purpose: 'oidc' } as const
  const kids = async () => (await listRing(app.db, ring, app.now())).map(({ kid }) => kid)
  await ensureSigningKey(app.db, app.secrets, ring, app.now())
  const [first] = await kids()
  const planned = await rotate(false)
  assert.ok(planned.body.active_from > app.now())
  const replaced = await rotate(true)
  assert.equal(replaced.body.active_from, app.now())
  const shown = await kids()
  assert.deepEqual([shown[0], shown.includes(first ?? '')], [replaced.body.kid, false])
})

test('listSignInKeys tells which key signs, which comes and which is no longer trusted', async () => {
  const { organizationId } = await app.addTenant('Globex')
  const browser = await signedIn({ email: 'eve@globex.example', organizationId })
  const shown = async () => {
    const { jwks_uri: address, data } = (await browser.ask('GET', '/views/sign_in_keys')).body
    return [address, data.map(({ state }: { state: string }) => state).sort()]
  }
  const address = `https://organization-${organizationId}.muster.test/signin/oidc/jwks`
  assert.deepEqual(await shown(), [address, []])
  const ring = { organizationId, purpose: 'oidc' } as const
  await ensureSigningKey(app.db, app.secrets, ring, app.now())
  await ensureSigningKey(app.db, app.secrets, { ...ring, purpose: 'signals' }, app.now())
  const rotate = (isEmergency: boolean) =>
    browser.ask('POST', '/session/sign_in_keys/rotate', { is_emergency: isEmergency })
  await rotate(false)
  assert.deepEqual(await shown(), [address, ['published', 'signing']])
  await rotate(true)
  assert.deepEqual(await shown(), [address, ['signing', 'withdrawn', 'withdrawn']])
})
