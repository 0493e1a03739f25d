import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { limitedPowers } from '@muster/contract/admin-powers.ts'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser, password } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { ensurePackages } from '../../agents/packages/ensure-packages.ts'
import { findEnrollmentSecret } from '../../agents/protocol/enrollment-queries.ts'
import { enrollmentSecretPurpose } from '../../agents/protocol/enrollment-secret-place.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { setBaseUrl } from '../../inventory/organizations/set-base-url.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'
import { totpCode } from './totp.ts'

const app = testApp()
const make = makeIn(app)
const now = '2026-11-20T11:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000).toISOString()

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
})

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return { ...admin, browser }
}

const entries = async (count: number): Promise<string[]> =>
  (await app.ask('GET', `/audit_logs?per_page=${count}`)).body.data.map(
    (row: { description: string }) => row.description,
  )

const isInForce = async (secret: string) =>
  (await findEnrollmentSecret(app.db, app.secrets.lookupHash(enrollmentSecretPurpose, secret), app.now())) !== undefined

test('the organization is renamed once, and a name that is none is refused', async () => {
  const { browser } = await signedIn()
  const rename = (name: string) => browser.ask('PATCH', '/session/organization', { name })
  assert.equal((await rename('  Halden “Instruments”  ')).status, 204)
  assert.deepEqual(await entries(1), ['Renamed the organization from "Acme" to "Halden “Instruments”".'])
  const before = await entries(5)
  assert.equal((await rename('Halden “Instruments”')).status, 204)
  assert.deepEqual(await entries(5), before, 'the same name writes nothing')
  assert.equal((await browser.ask('GET', '/session')).body.organization.name, 'Halden “Instruments”')
  for (const name of ['', '   ', 'a\u0000b', 'a\nb', 'x'.repeat(201)]) {
    const { status, body } = await rename(name)
    assert.deepEqual([status, body.errors[0].field], [422, 'name'], JSON.stringify(name))
  }
})

test('old addresses are shown until an administrator ends them, with fresh proof, for this organization only', async () => {
  const [globex, initech] = [await app.addTenant('Globex'), await app.addTenant('Initech')]
  const own = 'https://globex.example'
  const set = ({ organizationId }: { organizationId: string }, to: string) =>
    transact(app.db, (tx) =>
      setBaseUrl(tx, { baseUrl: to, commonBaseUrl: baseUrl }, systemChange(organizationId, app.now())),
    )
  await set(globex, own)
  await set(initech, 'https://initech.example')
  const { browser } = await signedIn({ organizationId: globex.organizationId })
  const addresses = async () => {
    const { body } = await browser.ask('GET', '/views/settings')
    return [body.base_url, body.own_base_url, body.old_base_urls]
  }
  const before = [baseUrl, own, [baseUrl, `https://organization-${globex.organizationId}.muster.test`]]
  assert.deepEqual(await addresses(), before)
  const end = () => browser.ask('POST', '/session/organization/end_old_addresses')
  app.setNow(later(1_200))
  assert.deepEqual([(await end()).body.error, await addresses()], ['step_up_needed', before])
  assert.equal((await browser.ask('POST', '/session/step_up', { password })).status, 200)
  assert.equal((await end()).status, 204)
  assert.deepEqual(await addresses(), [baseUrl, own, []])
  const { data } = (await browser.ask('GET', '/audit_logs?per_page=1')).body
  assert.equal(data[0].description, `Ended the old addresses: keys are valid at ${own} only.`)
  const { browser: limited } = await signedIn({
    email: 'tom@globex.example',
    access: 'limited',
    restrictions: ['manage_settings'],
    organizationId: globex.organizationId,
  })
  assert.equal((await limited.ask('POST', '/session/organization/end_old_addresses')).status, 403)
  const untouched = await app.db
    .selectFrom('organizations')
    .select('old_addresses_ended_at')
    .where('id', '=', initech.organizationId)
    .execute()
  assert.deepEqual(untouched, [{ old_addresses_ended_at: null }])
})

test('enrollment secrets are made, rotated and revoked, and listed without what they are', async () => {
  const { browser } = await signedIn()
  const { organizationId } = app.tenant
  const person = await make.person(organizationId, { name: 'Ana Ruiz', email: 'ana@acme.example' })
  const wanted = { name: 'Berlin', person_id: person.id, expires_at: later(1_500) }
  const made = await browser.ask('POST', '/session/enrollment_secrets', wanted)
  assert.deepEqual([made.status, Object.keys(made.body)], [200, ['id', 'secret']])
  assert.equal(await isInForce(made.body.secret), true)
  const rotated = await browser.ask('POST', `/session/enrollment_secrets/${made.body.id}/rotate`)
  assert.deepEqual([await isInForce(made.body.secret), await isInForce(rotated.body.secret)], [false, true])
  assert.deepEqual(await entries(3), [
    'Created the enrollment secret "Berlin" for "Ana Ruiz" (ana@acme.example).',
    'Revoked the enrollment secret "Berlin".',
    'Created the enrollment secret "Berlin" for "Ana Ruiz" (ana@acme.example).',
  ])
  const list = (query = '') => browser.ask('GET', `/views/enrollment_secrets${query}`)
  const row = {
    id: rotated.body.id,
    name: 'Berlin',
    person: { id: person.id, name: 'Ana Ruiz', email: 'ana@acme.example' },
    package_id: null,
    state: 'in_force',
    created_at: now,
    expires_at: wanted.expires_at,
    revoked_at: null,
  }
  assert.deepEqual((await list('?per_page=1')).body.data, [row])
  assert.deepEqual((await list('?state=in_force')).body.data, [row])
  const next = (await list('?per_page=1')).body.pagination.next_cursor
  assert.equal((await list(`?per_page=1&cursor=${next}`)).body.data[0].state, 'revoked')
  app.setNow(later(1_501))
  await browser.ask('POST', '/session/step_up', { password })
  assert.deepEqual(
    (await list('?state=ended')).body.data.map((one: { state: string }) => one.state),
    ['expired', 'revoked'],
  )
  assert.equal((await browser.ask('DELETE', `/session/enrollment_secrets/${rotated.body.id}`)).status, 204)
  assert.equal((await browser.ask('DELETE', `/session/enrollment_secrets/${rotated.body.id}`)).status, 404)
  assert.equal((await browser.ask('POST', `/session/enrollment_secrets/${rotated.body.id}/rotate`)).status, 404)
  const past = await browser.ask('POST', '/session/enrollment_secrets', { name: 'x', expires_at: now })
  assert.deepEqual(past.body.errors, [{ field: 'expires_at', message: 'must be in the future' }])
  assert.equal((await browser.ask('POST', '/session/enrollment_secrets', { name: 'x', person_id: '999' })).status, 404)
})

test('a package is made again with another secret, which cannot be rotated alone', async () => {
  const { browser } = await signedIn()
  const { organizationId } = app.tenant
  const site = { baseUrl, caCertificate: null, productVersion: '0.1.0' }
  await transact(app.db, (tx) => ensurePackages(tx, app.secrets, { site }, systemChange(organizationId, now)))
  const [secret] = (await browser.ask('GET', '/views/enrollment_secrets?state=in_force')).body.data
  assert.notEqual(secret.package_id, null)
  const refused = await browser.ask('POST', `/session/enrollment_secrets/${secret.id}/rotate`)
  assert.deepEqual(refused.body.errors[0].field, 'id')
  const { status, body } = await browser.ask('POST', `/session/packages/${secret.package_id}/rebuild`)
  assert.equal(status, 200)
  assert.match(body.file_name, /^muster-.*-2/)
  const rows = (await browser.ask('GET', '/views/enrollment_secrets')).body.data
  assert.equal(rows.find((row: { id: string }) => row.id === secret.id).state, 'revoked')
  assert.equal((await browser.ask('POST', '/session/packages/999/rebuild')).status, 404)
})

test('SCIM tokens are made, rotated and revoked where the plan has SCIM', async () => {
  const { browser } = await signedIn()
  const made = await browser.ask('POST', '/session/scim_tokens', { name: 'Entra ID' })
  assert.match(made.body.token, /^mstr_scim_/)
  const rotated = await browser.ask('POST', `/session/scim_tokens/${made.body.id}/rotate`)
  const list = async () => (await browser.ask('GET', '/views/scim_tokens')).body.data
  assert.deepEqual(await list(), [{ id: rotated.body.id, name: 'Entra ID', created_at: now, last_used_at: null }])
  const asProvider = async (token: string) =>
    (await app.ask('GET', '/scim/v2/Users', { key: undefined, headers: { authorization: `Bearer ${token}` } })).status
  assert.deepEqual([await asProvider(made.body.token), await asProvider(rotated.body.token)], [401, 200])
  assert.equal((await browser.ask('POST', `/session/scim_tokens/${made.body.id}/rotate`)).status, 404)
  assert.equal((await browser.ask('DELETE', `/session/scim_tokens/${rotated.body.id}`)).status, 204)
  assert.deepEqual([await list(), await asProvider(rotated.body.token)], [[], 401])
  assert.equal((await browser.ask('POST', '/session/scim_tokens', { name: '  ' })).status, 422)
  const change = { feature: 'scim', isOn: false } as const
  await transact(app.db, (tx) => setFeature(tx, change, systemChange(app.tenant.organizationId, now)))
  const off = await browser.ask('POST', '/session/scim_tokens', { name: 'Okta' })
  assert.deepEqual([off.status, off.body.error], [401, 'feature_unavailable'])
})

const settingChanges: [method: string, path: string, body?: object][] = [
  ['POST', '/session/enrollment_secrets', { name: 'x' }],
  ['POST', '/session/enrollment_secrets/1/rotate'],
  ['DELETE', '/session/enrollment_secrets/1'],
  ['POST', '/session/packages/1/rebuild'],
  ['POST', '/session/scim_tokens', { name: 'x' }],
  ['POST', '/session/scim_tokens/1/rotate'],
  ['DELETE', '/session/scim_tokens/1'],
]

test('what lets devices and identity providers in needs the permission and a fresh proof', async () => {
  const { browser } = await signedIn({ access: 'limited', restrictions: ['manage_settings'] })
  for (const [method, path, body] of [...settingChanges, ['PATCH', '/session/organization', { name: 'x' }] as const]) {
    const answer = await browser.ask(method, path, body)
    assert.deepEqual([path, answer.status, answer.body.error], [path, 403, 'permission_missing'])
  }
  const { browser: hers } = await signedIn({ email: 'ines@acme.example', access: 'limited' })
  app.setNow(later(300))
  for (const [method, path, body] of settingChanges) {
    assert.equal((await hers.ask(method, path, body)).body.error, 'step_up_needed', path)
  }
})

test('how administrators sign in is shown to those who manage them', async () => {
  const { browser, id } = await signedIn()
  const tom = { email: 'tom@acme.example', first_name: 'Tom', access: 'billing_only' }
  const { administrator_id: tomId } = (await browser.ask('POST', '/session/administrators', tom)).body
  const list = async (query = '') => (await browser.ask('GET', `/views/administrators${query}`)).body.data
  const common = {
    ...{ has_identity: false, second_factor: 'none', restrictions: [], created_at: now },
    deprovisioned_person_id: null,
  }
  const maya = { id, first_name: 'Maya', last_name: 'Lindqvist', email: 'maya@acme.example', access: 'full' }
  assert.deepEqual(await list(), [
    { ...common, ...maya, has_password: true, last_seen_at: now, link_expires_at: null },
    {
      ...common,
      ...tom,
      id: tomId,
      last_name: '',
      has_password: false,
      last_seen_at: null,
      link_expires_at: later(86_400),
    },
  ])
  assert.deepEqual((await list('?search=tom%40')).length, 1)
  assert.deepEqual(await list('?search=%25'), [])
  assert.deepEqual(
    (await list('?access=full')).map((row: { id: string }) => row.id),
    [id],
  )
  assert.deepEqual((await list('?factor=missing')).length, 2)
  await app.db
    .updateTable('admin_credentials')
    .set({ totp_enabled_at: now, sealed_totp_secret: Buffer.from('x') })
    .where('admin_user_id', '=', id)
    .execute()
  assert.deepEqual(
    (await list('?factor=missing')).map((row: { id: string }) => row.id),
    [tomId],
  )
  assert.equal((await list())[0].second_factor, 'totp')
  const { browser: his } = await signedIn({ email: 'ines@acme.example', access: 'limited' })
  assert.equal((await his.ask('GET', '/views/administrators')).status, 403)
})

test('the privacy center names every key and who answers for it, to whoever reads, without secrets and reasons', async () => {
  const { browser } = await signedIn()
  const made = async (name: string, more: object = {}) =>
    (await browser.ask('POST', '/session/api_keys', { name, permissions: {}, ...more })).body.id as string
  const sync = await made('Sync', { responsible_administrator: 'Ana', permissions: { manage_webhooks: 'Nightly.' } })
  const report = await made('Report')
  const gone = await made('Gone')
  assert.equal((await browser.ask('DELETE', `/session/api_keys/${gone}`)).status, 204)
  const other = await app.addTenant('Globex')
  const { browser: his } = await signedIn({
    email: 'ines@acme.example',
    access: 'limited',
    restrictions: limitedPowers,
  })
  const page = await his.ask('GET', '/views/privacy_keys?per_page=2')
  assert.equal(page.status, 200)
  assert.deepEqual(
    page.body.data.map(({ name }: { name: string }) => name),
    ['Full access', 'Reading'],
  )
  const rest = await his.ask('GET', `/views/privacy_keys?per_page=2&cursor=${page.body.pagination.next_cursor}`)
  assert.equal(rest.body.pagination.next_cursor, '')
  assert.deepEqual(rest.body.data, [
    {
      id: sync,
      name: 'Sync',
      responsible_administrator: 'Ana',
      permissions: ['manage_webhooks'],
      last_used_at: null,
    },
    { id: report, name: 'Report', responsible_administrator: 'Maya Lindqvist', permissions: [], last_used_at: null },
  ])
  assert.equal((await his.ask('GET', '/session/api_keys')).status, 403)
  const { browser: bills } = await signedIn({ email: 'kim@acme.example', access: 'billing_only' })
  assert.equal((await bills.ask('GET', '/views/privacy_keys')).status, 403)
  const hers = await addAdmin(app, { email: 'olga@globex.example', organizationId: other.organizationId })
  const foreign = openBrowser(app)
  assert.equal((await foreign.signIn(hers.email)).status, 200)
  const names = (await foreign.ask('GET', '/views/privacy_keys')).body.data.map((row: { name: string }) => row.name)
  assert.equal(names.includes('Sync'), false)
})

test('the facts of the settings are those of the organization and of the server', async () => {
  const other = await app.addTenant('Other')
  await make.device(other.organizationId, { name: 'foreign' })
  const { organizationId } = app.tenant
  await make.device(organizationId, { name: 'ours' })
  const { browser } = await signedIn()
  const { status, body } = await browser.ask('GET', '/views/settings')
  assert.equal(status, 200)
  assert.deepEqual(body.organization.name, 'Acme')
  assert.deepEqual([body.base_url, body.identity_provider], [baseUrl, null])
  assert.deepEqual(body.kept_days, { events: 30, admin_sessions: 30 })
  assert.deepEqual(
    [body.counts.unregistered, body.counts.registered, body.counts.suspended, body.counts.administrators],
    [1, 0, 0, 1],
  )
  assert.ok(body.features.every((feature: { is_on: boolean }) => feature.is_on))
  const { browser: his } = await signedIn({ email: 'ines@acme.example', access: 'billing_only' })
  assert.equal((await his.ask('GET', '/views/settings')).status, 403)
})

test('what another organization made is in no list and is not found', async () => {
  const other = await app.addTenant('Globex')
  const hers = await addAdmin(app, { email: 'kim@globex.example', organizationId: other.organizationId })
  const foreign = openBrowser(app)
  assert.equal((await foreign.signIn(hers.email)).status, 200)
  const secret = (await foreign.ask('POST', '/session/enrollment_secrets', { name: 'Theirs' })).body
  const token = (await foreign.ask('POST', '/session/scim_tokens', { name: 'Theirs' })).body
  const { browser, id } = await signedIn()
  const idsOf = async (path: string) =>
    (await browser.ask('GET', path)).body.data.map((row: { id: string }) => row.id) as string[]
  assert.equal((await idsOf('/views/enrollment_secrets')).includes(secret.id), false)
  assert.deepEqual(await idsOf('/views/scim_tokens'), [])
  assert.deepEqual(await idsOf('/views/administrators'), [id])
  for (const [method, path] of [
    ['POST', `/session/enrollment_secrets/${secret.id}/rotate`],
    ['DELETE', `/session/enrollment_secrets/${secret.id}`],
    ['POST', `/session/scim_tokens/${token.id}/rotate`],
    ['DELETE', `/session/scim_tokens/${token.id}`],
  ] as const) {
    const answer = await browser.ask(method, path)
    const unknown = await browser.ask(method, path.replace(/\d+/, '999999'))
    assert.deepEqual([answer.status, answer.body], [404, unknown.body], path)
  }
  assert.equal(await isInForce(secret.secret), true)
})

const usual = {
  auth_logs_days: 400,
  live_results_days: 90,
  settled_signals_days: 90,
  settled_deliveries_days: 180,
  is_first_device_trusted: true,
  registration_required_checks: [],
  is_second_factor_required: false,
  is_owner_by_account: false,
}

test('what an organization chooses is written once, within its limits, and taken back to what is usual', async () => {
  const { browser } = await signedIn()
  const other = await app.addTenant('Other')
  const otherAdmin = await addAdmin(app, { email: 'olga@other.example', organizationId: other.organizationId })
  const chosen = async () => (await browser.ask('GET', '/views/settings')).body.chosen
  const change = (body: object) => browser.ask('PATCH', '/session/settings', body)
  assert.deepEqual(await chosen(), usual)
  assert.equal((await change({ auth_logs_days: 120, is_first_device_trusted: false })).status, 204)
  assert.deepEqual(await chosen(), { ...usual, auth_logs_days: 120, is_first_device_trusted: false })
  assert.deepEqual(await entries(2), [
    'Changed when the first device of a person is registered from "at once" to "only after a decision".',
    'Changed how long "Sign-in log" is kept from 400 to 120 days.',
  ])
  const before = await entries(10)
  assert.equal((await change({ auth_logs_days: 120 })).status, 204)
  assert.deepEqual(await entries(10), before, 'the same again writes nothing')
  for (const [field, value] of [
    ['auth_logs_days', 29],
    ['auth_logs_days', 3_651],
    ['live_results_days', 13],
    ['settled_signals_days', 6],
    ['settled_deliveries_days', 7.5],
    ['is_first_device_trusted', 'yes'],
    ['registration_required_checks', ['999']],
  ] as const) {
    const { status, body } = await change({ [field]: value })
    assert.deepEqual([status, body.errors[0].field], [422, field], `${field} ${value}`)
  }
  assert.equal((await change({ auth_logs_days: null, is_first_device_trusted: null })).status, 204)
  assert.deepEqual(await chosen(), usual)
  const stranger = openBrowser(app)
  await stranger.signIn(otherAdmin.email)
  assert.deepEqual((await stranger.ask('GET', '/views/settings')).body.chosen, usual)

  const limited = await signedIn({ email: 'tom@acme.example', access: 'limited', restrictions: ['manage_settings'] })
  assert.equal((await limited.browser.ask('PATCH', '/session/settings', { auth_logs_days: 90 })).status, 403)
  const mayNot = await signedIn({ email: 'tim@acme.example', access: 'limited' })
  const required = await mayNot.browser.ask('PATCH', '/session/settings', { is_second_factor_required: true })
  assert.deepEqual([required.status, required.body.error], [403, 'permission_missing'])
  app.setNow(later(301))
  const stale = await change({ auth_logs_days: 90 })
  assert.deepEqual([stale.status, stale.body.error], [403, 'step_up_needed'])
})

test('a required second factor is set up before anything else, and is required only by who has one', async () => {
  const { browser } = await signedIn()
  const other = await signedIn({ email: 'tom@acme.example' })
  const require = (isRequired: boolean) =>
    browser.ask('PATCH', '/session/settings', { is_second_factor_required: isRequired })
  const refused = await require(true)
  assert.deepEqual([refused.status, refused.body.errors[0].field], [422, 'is_second_factor_required'])
  const setUp = async (who: typeof browser) => {
    const { secret } = (await who.ask('POST', '/session/totp')).body
    const code = totpCode(fromBase32(secret), Math.floor(Date.parse(app.now()) / 30_000))
    return who.ask('POST', '/session/totp/enable', { code })
  }
  assert.equal((await setUp(browser)).status, 200)
  assert.equal((await require(true)).status, 204)
  assert.deepEqual(await entries(1), ['Required a second factor of all administrators.'])
  assert.equal((await browser.ask('GET', '/devices')).status, 200)

  const mine = await other.browser.ask('GET', '/session')
  assert.deepEqual([mine.status, mine.body.needs_second_factor], [200, true])
  for (const [method, path] of [
    ['GET', '/devices'],
    ['GET', '/views/summary'],
    ['GET', '/live'],
    ['DELETE', '/devices/1'],
    ['GET', '/session/api_keys'],
    ['POST', '/session/password'],
    ['DELETE', '/session/totp'],
  ] as const) {
    const { status, body } = await other.browser.ask(method, path, method === 'POST' ? {} : undefined)
    assert.deepEqual([status, body.error], [403, 'second_factor_needed'], path)
  }
  assert.equal((await setUp(other.browser)).status, 200)
  assert.equal((await other.browser.ask('GET', '/session')).body.needs_second_factor, false)
  assert.equal((await other.browser.ask('GET', '/devices')).status, 200)
  assert.equal((await app.ask('GET', '/devices')).status, 200, 'keys are no administrators')
  assert.equal((await require(false)).status, 204)
})

/** RFC 4648 §6. */
function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
