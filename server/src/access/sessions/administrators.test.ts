import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { limitedPowers } from '@muster/contract/admin-powers.ts'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser, password } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)
const now = '2026-11-20T11:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000).toISOString()

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
})

const entries = async (count: number): Promise<string[]> =>
  (await app.ask('GET', `/audit_logs?per_page=${count}`)).body.data.map(
    (row: { description: string }) => row.description,
  )
const tom = { email: 'tom@acme.example', first_name: 'Tom', last_name: 'Okafor', access: 'limited' }

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return { ...admin, browser }
}

/** Everything that needs a right of its own, as one administrator would ask it of another. */
const changes = (id: string, keyId: string): [method: string, path: string, body?: object][] => [
  ['POST', '/session/administrators', tom],
  ['POST', `/session/administrators/${id}/invite`],
  ['POST', `/session/administrators/${id}/reset`],
  ['PATCH', `/session/administrators/${id}`, { access: 'billing_only' }],
  ['DELETE', `/session/administrators/${id}/sessions`],
  ['DELETE', `/session/administrators/${id}`],
  ['POST', '/session/api_keys', { name: 'Tickets', permissions: {} }],
  ['POST', `/session/api_keys/${keyId}/reveal`],
  [
    'POST',
    `/session/api_keys/${keyId}/permissions`,
    { change: 'withdraw', permissions: ['remove_devices'], rationale: 'x' },
  ],
]

test('an administrator is invited, chooses a password by the link, and is announced once', async () => {
  const { browser } = await signedIn()
  const invited = await browser.ask('POST', '/session/administrators', { ...tom, restrictions: ['remove_devices'] })
  const { administrator_id: id, url } = invited.body
  assert.deepEqual([invited.status, invited.body], [200, { administrator_id: id, url, expires_at: later(86_400) }])
  assert.ok(url.startsWith(`${baseUrl}/console/invite#mstr_link_`))
  assert.deepEqual(await entries(2), [
    'Made a link by which the administrator "Tom Okafor" (tom@acme.example) can choose a password.',
    'Added the administrator "Tom Okafor" (tom@acme.example) with limited access with the restrictions "remove_devices".',
  ])
  const his = openBrowser(app)
  const token = url.split('#')[1]
  assert.equal((await his.ask('POST', '/session/link', { token })).body.email, tom.email)
  const accepted = await his.ask('POST', '/session/link/accept', { token, password })
  assert.deepEqual([accepted.body.administrator.id, accepted.body.permissions.includes('remove_devices')], [id, false])
  const created = await app.db.selectFrom('events').select('type').where('type', '=', 'admin_users.created').execute()
  assert.equal(created.length, 2)
  assert.equal((await browser.ask('POST', '/session/administrators', tom)).body.errors[0].field, 'email')
  assert.equal((await browser.ask('POST', `/session/administrators/${id}/invite`)).body.errors[0].field, 'id')
})

test('what an administrator may do changes from the next request on, and removal ends the sessions', async () => {
  const { browser } = await signedIn()
  const { id, browser: his } = await signedIn({ email: tom.email })
  const state = await browser.ask('GET', `/session/administrators/${id}`)
  assert.deepEqual([state.status, state.body.sessions.length, state.body.password_changed_at], [200, 1, now])
  assert.equal((await browser.ask('PATCH', `/session/administrators/${id}`, { access: 'billing_only' })).status, 204)
  assert.equal((await his.ask('GET', '/devices')).status, 403)
  assert.equal((await browser.ask('DELETE', `/session/administrators/${id}/sessions`)).status, 204)
  assert.equal((await his.ask('GET', '/session')).status, 401)
  await his.signIn(tom.email)
  assert.equal((await browser.ask('DELETE', `/session/administrators/${id}`)).status, 204)
  assert.equal((await his.ask('GET', '/session')).status, 401)
  assert.equal((await his.signIn(tom.email)).status, 401)
})

test('who signs in no more is let in again by a reset alone', async () => {
  const { browser } = await signedIn()
  const { id } = await signedIn({ email: tom.email })
  const { url } = (await browser.ask('POST', `/session/administrators/${id}/reset`)).body
  assert.equal((await openBrowser(app).signIn(tom.email)).status, 401)
  const token = url.split('#')[1]
  assert.equal((await openBrowser(app).ask('POST', '/session/link/accept', { token, password })).status, 200)
})

test('limited access manages neither administrators nor keys, whatever it restricts', async () => {
  const { id } = await signedIn()
  const { browser } = await signedIn({ email: tom.email, access: 'limited' })
  for (const [method, path, body] of changes(id, app.tenant.keyId)) {
    const { status } = await browser.ask(method, path, body)
    assert.equal(status, 403, path)
  }
  assert.equal((await browser.ask('GET', `/session/administrators/${id}`)).status, 403)
})

test('what lets someone in or shows a secret needs a fresh proof', async () => {
  const { id } = await signedIn({ email: tom.email })
  const { browser } = await signedIn()
  app.setNow(later(300))
  for (const [method, path, body] of changes(id, app.tenant.keyId)) {
    const answer = await browser.ask(method, path, body)
    assert.deepEqual([path, answer.status, answer.body.error], [path, 403, 'step_up_needed'])
  }
  const data: [method: string, path: string][] = [
    ['PATCH', '/ssf_streams/1'],
    ['DELETE', '/ssf_streams/1'],
  ]
  for (const [method, path] of data) {
    assert.equal((await browser.ask(method, path, method === 'PATCH' ? {} : undefined)).body.error, 'step_up_needed')
  }
  await browser.ask('POST', '/session/step_up', { password })
  for (const [method, path, body] of changes(id, app.tenant.keyId)) {
    assert.notEqual((await browser.ask(method, path, body)).body.error, 'step_up_needed', path)
  }
})

test('keys are made, shown, changed and revoked in the name of the administrator', async () => {
  const { browser } = await signedIn()
  const wanted = { name: 'Tickets', permissions: { remove_devices: 'It retires laptops.' } }
  const made = await browser.ask('POST', '/session/api_keys', wanted)
  const { id, key } = made.body
  assert.equal((await app.ask('GET', '/devices', { key })).status, 200)
  assert.deepEqual((await browser.ask('POST', `/session/api_keys/${id}/reveal`)).body, { id, key })
  const { data } = (await browser.ask('GET', '/session/api_keys')).body
  const listed = data.find((row: { id: string }) => row.id === id)
  assert.deepEqual(listed, {
    ...wanted,
    id,
    responsible_administrator: 'Maya Lindqvist',
    permission_uses: {},
    uses_recorded_since: now,
    created_at: now,
    last_used_at: listed.last_used_at,
    expires_at: null,
    needs_review_since: null,
  })
  assert.deepEqual((await browser.ask('GET', `/session/api_keys/${id}`)).body, listed)
  assert.equal((await browser.ask('GET', '/session/api_keys/900000000000000001')).status, 404)
  const behind = (await browser.ask('GET', `/session/api_keys?after_id=${Number(id) - 1}`)).body
  assert.deepEqual(behind, { data: [listed], to_review: 0, next_after_id: null })
  assert.deepEqual((await browser.ask('GET', `/session/api_keys?after_id=${id}`)).body.data, [])
  const withdrawal = { change: 'withdraw', permissions: ['remove_devices'], rationale: 'It does not.' }
  assert.equal((await browser.ask('POST', `/session/api_keys/${id}/permissions`, withdrawal)).status, 204)
  assert.equal((await browser.ask('DELETE', `/session/api_keys/${id}`)).status, 204)
  assert.equal((await browser.ask('DELETE', `/session/api_keys/${id}`)).status, 404)
  assert.equal((await app.ask('GET', '/devices', { key })).status, 401)
  const { data: log } = (await browser.ask('GET', '/audit_logs?per_page=4')).body
  assert.deepEqual(
    log.map((row: { actor_name: string; description: string }) => `${row.actor_name}: ${row.description}`),
    [
      'Maya Lindqvist: Revoked the API key "Tickets".',
      'Maya Lindqvist: Withdrew the permission "Remove Devices" from the API key "Tickets" ("It does not.").',
      'Maya Lindqvist: Revealed the API key "Tickets".',
      'Maya Lindqvist: Created the API key "Tickets", for which "Maya Lindqvist" is responsible, with the permissions "Remove Devices" ("It retires laptops.").',
    ],
  )
})

test('what is no permission is refused, and so is a key that has ended before it begins', async () => {
  const { browser } = await signedIn()
  const strange = await browser.ask('POST', '/session/api_keys', { name: 'Mine', permissions: { fly: 'Up.' } })
  assert.deepEqual(strange.body.errors, [{ field: 'permissions/fly', message: 'is not a permission' }])
  const past = await browser.ask('POST', '/session/api_keys', { name: 'Mine', permissions: {}, expires_at: now })
  assert.deepEqual(past.body.errors, [{ field: 'expires_at', message: 'must be in the future' }])
})

test('a key that has expired is refused like one that was revoked, and is listed until someone revokes it', async () => {
  const { browser } = await signedIn()
  const wanted = { name: 'For a month', permissions: {}, expires_at: later(60) }
  const { id, key } = (await browser.ask('POST', '/session/api_keys', wanted)).body
  assert.equal((await app.ask('GET', '/devices', { key })).status, 200)
  app.setNow(later(60))
  const expired = await app.ask('GET', '/devices', { key })
  const unknown = await app.ask('GET', '/devices', { key: `${key.slice(0, -1)}x` })
  assert.deepEqual([expired.status, expired.body], [401, unknown.body])
  const listed = (await browser.ask('GET', `/session/api_keys/${id}`)).body
  assert.deepEqual([listed.name, listed.expires_at], ['For a month', later(60)])
  const [entry] = (await browser.ask('GET', '/audit_logs?query=description~"For a month"')).body.data
  assert.match(entry.description, /for reading only, until 2026-11-20T11:01:00\.000Z\.$/)
})

test('keys that wait for a review are counted and listed, and leave the list once they are reviewed', async () => {
  const { browser } = await signedIn()
  const id = app.tenant.readOnlyKeyId
  await app.db.updateTable('api_keys').set({ needs_review_since: now }).where('id', '=', id).execute()
  const { data, to_review: count } = (await browser.ask('GET', '/session/api_keys?to_review=true')).body
  assert.deepEqual([data.map((key: { id: string }) => key.id), count], [[id], 1])
  assert.equal((await browser.ask('POST', `/session/api_keys/${id}/review`)).status, 204)
  assert.deepEqual((await browser.ask('GET', '/session/api_keys?to_review=true')).body.data, [])
  assert.deepEqual(await entries(1), [
    'Reviewed the API key "Reading", which an administrator without full access had a part in, and kept it.',
  ])
  assert.equal((await app.ask('GET', '/devices', { key: app.tenant.readOnlyKey })).status, 200)
})

test('limited access begins with nothing, for new and for existing administrators', async () => {
  const { browser } = await signedIn()
  const { administrator_id: id } = (await browser.ask('POST', '/session/administrators', tom)).body
  const rights = async (of: string) => (await app.ask('GET', `/admin_users/${of}`)).body.restrictions
  assert.deepEqual(await rights(id), [...limitedPowers])
  const ann = await signedIn({ email: 'ann@acme.example' })
  await browser.ask('PATCH', `/session/administrators/${ann.id}`, { access: 'limited' })
  assert.deepEqual(await rights(ann.id), [...limitedPowers])
  assert.deepEqual((await ann.browser.ask('GET', '/session')).body.permissions, [])
})

test('administrators and keys of another organization are not there', async () => {
  const other = await app.addTenant()
  const { id } = await make.adminUser(other.organizationId)
  const { browser } = await signedIn()
  for (const [method, path, body] of changes(id, other.keyId)) {
    if (path === '/session/administrators' || path === '/session/api_keys') continue
    const unknown = await browser.ask(method, path.replace(/\d+/, '999999'), body)
    const foreign = await browser.ask(method, path, body)
    assert.deepEqual([path, foreign.status, foreign.body], [path, 404, unknown.body])
  }
  assert.equal((await browser.ask('GET', `/session/administrators/${id}`)).status, 404)
})

test('keys are listed a hundred at a time, and those of others never', async () => {
  const { browser } = await signedIn()
  const { organizationId } = app.tenant
  const { organizationId: foreign } = await app.addTenant('Other')
  const row = (name: string, organization_id: string) => ({
    ...{ organization_id, name, responsible_administrator: 'Maya', sealed_key: Buffer.from('-') },
    ...{ permissions: '{}', created_at: now, uses_recorded_since: now },
  })
  const rows = Array.from({ length: 100 }, (_, index) => row(`Key ${index}`, organizationId))
  const made = await app.db
    .insertInto('api_keys')
    .values([...rows, row('Foreign', foreign)])
    .returning('id')
    .execute()
  const first = (await browser.ask('GET', '/session/api_keys')).body
  assert.equal(first.data.length, 100)
  const rest = (await browser.ask('GET', `/session/api_keys?after_id=${first.next_after_id}`)).body
  assert.equal(rest.next_after_id, null)
  const names = [...first.data, ...rest.data].map(({ name }: { name: string }) => name)
  assert.deepEqual(
    names.filter((name) => /^Key /.test(name)),
    rows.map(({ name }) => name),
  )
  assert.ok(!names.includes('Foreign'))
  assert.equal((await browser.ask('GET', `/session/api_keys/${made.at(-1)?.id}`)).status, 404)
  assert.equal((await browser.ask('GET', '/session/api_keys?after_id=x')).status, 422)
})
