import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { permissions } from '@muster/contract/permissions.ts'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

/** What a receiver asks of its own stream; administrators have `/ssf_streams`. */
const forReceivers = [
  'configureSsfStream',
  'configureSsfStreamWithPut',
  'removeSsfStream',
  'getSsfStreamStatus',
  'setSsfStreamStatus',
  'verifySsfStream',
  'pollSsfStream',
  'pollOrAcknowledgeSsfStream',
]

const fill = (url: string) => url.replace(/:\w+/g, '1')

test('a session reads what a key reads, byte by byte but for the address of the next page', async () => {
  for (const name of ['one', 'two', 'three']) await make.device(app.tenant.organizationId, { name })
  const browser = await signedIn()
  const byKey = await app.ask('GET', '/devices?per_page=2')
  const bySession = await browser.ask('GET', '/devices?per_page=2')
  assert.equal(bySession.status, 200)
  assert.match(bySession.body.pagination.next, new RegExp(`^${baseUrl}/console/api/devices\\?cursor=`))
  const next = byKey.body.pagination.next.replace(baseUrl, `${baseUrl}/console/api`)
  assert.deepEqual(bySession.body, { ...byKey.body, pagination: { ...byKey.body.pagination, next } })
  const rest = await browser.ask('GET', bySession.body.pagination.next.slice(`${baseUrl}/console/api`.length))
  assert.deepEqual([rest.status, rest.body.data.map((row: { name: string }) => row.name)], [200, ['three']])
})

test('every endpoint of a key has its twin behind a session, and nothing is there without one', async () => {
  const routes = app.app.routes.filter(({ url }) => url.startsWith('/console/api'))
  const twins = new Set(routes.map(({ method, url }) => `${method} ${url}`))
  const own = app.app.kit.operations.filter(({ access }) => access !== 'public')
  assert.ok(own.length > 60)
  const missing = own.filter(({ method, path }) => {
    const methods = method === 'PATCH' || method === 'PUT' ? 'PATCH,PUT' : method
    return !twins.has(`${methods} /console/api${path}`)
  })
  assert.deepEqual(
    missing.map(({ operationId }) => operationId),
    forReceivers,
  )
  const browser = openBrowser(app)
  for (const { method, url, config } of routes) {
    if (config?.access === undefined) continue
    const one = String(Array.isArray(method) ? method[0] : method)
    const answer = await browser.ask(one, fill(url.slice('/console/api'.length)))
    // A HEAD has no body.
    const error = one === 'HEAD' ? undefined : 'not_signed_in'
    assert.deepEqual([one, url, answer.status, answer.body?.error], [one, url, 401, error])
    const withKey = await app.ask(one, fill(url), { headers: { origin: baseUrl } })
    assert.deepEqual([one, url, withKey.status, withKey.body?.error], [one, url, 401, error])
  }
})

test('an administrator who is limited cannot do by address what a restriction takes away', async () => {
  const restricted = Object.keys(permissions)
  const browser = await signedIn({ access: 'limited', restrictions: restricted })
  const changes = app.app.routes.filter(
    ({ url, config }) => url.startsWith('/console/api') && Object.hasOwn(permissions, config?.rights?.requires ?? ''),
  )
  assert.ok(changes.length > 20)
  for (const { method, url } of changes) {
    const one = String(Array.isArray(method) ? method[0] : method)
    const answer = await browser.ask(
      one,
      fill(url.slice('/console/api'.length)),
      one === 'GET' || one === 'HEAD' ? undefined : {},
    )
    const error = one === 'HEAD' ? undefined : 'permission_missing'
    assert.deepEqual([one, url, answer.status, answer.body?.error], [one, url, 403, error])
  }
  assert.equal((await browser.ask('GET', '/devices')).status, 200)
})

test('one restriction takes one permission away, at once and in the words of the answer', async () => {
  const { id } = await make.device(app.tenant.organizationId)
  const { id: adminId, email } = await addAdmin(app, { access: 'limited', restrictions: ['remove_devices'] })
  const browser = openBrowser(app)
  await browser.signIn(email)
  assert.deepEqual((await browser.ask('DELETE', `/devices/${id}`)).body, {
    error: 'permission_missing',
    message: 'Your account lacks the permission Remove Devices. An administrator with full access can change that.',
  })
  const setRestrictions = (restrictions: string[]) =>
    app.db.updateTable('admin_users').set({ restrictions }).where('id', '=', adminId).execute()
  await setRestrictions(['a_restriction_that_nobody_knows'])
  assert.equal((await browser.ask('DELETE', `/devices/${id}`)).status, 403)
  await setRestrictions([])
  assert.equal((await browser.ask('DELETE', `/devices/${id}`)).status, 200)
  const [entry] = (await browser.ask('GET', '/audit_logs?per_page=1')).body.data
  assert.deepEqual(
    [entry.actor_name, entry.actor_info],
    ['Maya Lindqvist', { actor_name: 'Maya Lindqvist', actor_email: email, actor_type: 'User' }],
  )
})

test('who sees to billing only reads nothing', async () => {
  const browser = await signedIn({ access: 'billing_only' })
  const answer = await browser.ask('GET', '/devices')
  assert.deepEqual(
    [answer.status, answer.body],
    [
      403,
      {
        error: 'permission_missing',
        message: 'Your account has billing access only. An administrator with full access can change that.',
      },
    ],
  )
  assert.equal((await browser.ask('GET', '/session')).body.may_read, false)
})

test('what another organization has is not there for a session', async () => {
  const other = await app.addTenant()
  const { id } = await make.device(other.organizationId)
  const browser = await signedIn()
  const foreign = await browser.ask('GET', `/devices/${id}`)
  assert.deepEqual([foreign.status, foreign.body], [404, { error: 'not_found', message: 'There is no such record.' }])
  assert.deepEqual((await browser.ask('DELETE', `/devices/${id}`)).body, foreign.body)
})

test('a change needs the token of the session and a page of this origin', async () => {
  const { id } = await make.device(app.tenant.organizationId)
  const browser = await signedIn()
  const other = await signedIn({ email: 'tom@acme.example' })
  const foreignToken = (await other.ask('GET', '/session')).body.csrf_token
  const refused: Record<string, string>[] = [
    { 'x-muster-csrf': '' },
    { 'x-muster-csrf': 'AAAAAAAAAAAAAAAAAAAAAA' },
    { 'x-muster-csrf': foreignToken },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ]
  for (const headers of refused) {
    const answer = await browser.ask('DELETE', `/devices/${id}`, undefined, headers)
    assert.deepEqual([answer.status, answer.body.error], [403, 'cross_site'], JSON.stringify(headers))
  }
  const bare = await app.ask('DELETE', `/console/api/devices/${id}`, {
    key: undefined,
    headers: { cookie: browser.cookie ?? '' },
  })
  assert.deepEqual([bare.status, bare.body.error], [403, 'cross_site'])
  assert.equal((await browser.ask('GET', '/devices', undefined, { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await browser.ask('DELETE', `/devices/${id}`)).status, 200)
})

test('a key opens nothing in the console, and a cookie nothing in the API', async () => {
  const browser = await signedIn()
  const mixed = await browser.ask('GET', '/devices', undefined, { authorization: `Bearer ${app.tenant.key}` })
  assert.deepEqual([mixed.status, mixed.body.error], [401, 'not_signed_in'])
  const api = await app.ask('GET', '/devices', { key: undefined, headers: { cookie: browser.cookie ?? '' } })
  assert.deepEqual([api.status, api.body.error], [401, 'unauthorized'])
})

test('a feature that the organization lacks is off in the console as well; writing needs no plan for keys', async () => {
  const { id } = await make.device(app.tenant.organizationId)
  const browser = await signedIn()
  await app.db
    .updateTable('organizations')
    .set({ disabled_features: ['live_query', 'write_api'] })
    .where('id', '=', app.tenant.organizationId)
    .execute()
  const off = await browser.ask('GET', '/live_query_campaigns')
  assert.deepEqual([off.status, off.body.error], [401, 'feature_unavailable'])
  assert.equal((await browser.ask('DELETE', `/devices/${id}`)).status, 200)
})

test('a session may ask 1,200 times in a minute, and learns how long to wait', async () => {
  const browser = await signedIn()
  await browser.ask('GET', '/session')
  await app.db.updateTable('admin_session_windows').set({ used: 1_199 }).execute()
  const last = await browser.ask('GET', '/session')
  assert.deepEqual([last.status, last.headers['ratelimit-limit']], [200, undefined])
  const refused = await browser.ask('GET', '/session')
  assert.deepEqual([refused.status, refused.body.error], [429, 'rate_limited'])
  assert.ok(Number(refused.headers['retry-after']) >= 1)
})

test('every answer under /console carries the headers that keep other origins out', async () => {
  const { headers } = await openBrowser(app).ask('GET', '/session')
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  assert.equal(headers['strict-transport-security'], 'max-age=31536000')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['www-authenticate'], undefined)
})
