import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { openAuthenticator } from '../../../test/support/authenticator.ts'
import { addAdmin, type Browser, openBrowser, signedInAdmin } from '../../../test/support/console.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { scimClient } from '../../../test/support/scim-client.ts'
import { newChange, systemActor } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { removeAdminUser } from '../administrators/remove-admin-user.ts'

const app = testApp()
const make = makeIn(app)
const scim = scimClient(app)
const maya = 'maya@acme.example'

beforeEach(async () => {
  app.setNow('2026-11-20T11:00:00.000Z')
  await app.reset()
})

const status = async (browser: Browser) => (await browser.ask('GET', '/session')).status
const signedIn = async (email = maya) => {
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(email)).status, 200)
  return browser
}
const refused = {
  error: 'administrator_deprovisioned',
  message:
    'You are deprovisioned in Muster, so you cannot sign in to the console. Ask an administrator to restore you.',
}
const mustStay = { field: 'id', message: 'must stay: nobody else has full access to the console' }
const entries = async () => (await app.ask('GET', '/audit_logs?per_page=100')).body.data.length

async function mayaInBothRoles() {
  const admin = await addAdmin(app, { email: maya })
  const person = await make.person(app.tenant.organizationId, { name: 'Maya', email: 'MAYA@acme.example' })
  return { admin, person, boss: await signedInAdmin(app) }
}

test('whom the identity provider deactivates is signed out, cannot sign in, and can once they are active again', async () => {
  await scim.begin()
  const { boss, admin } = await mayaInBothRoles()
  const browser = await signedIn()
  const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: maya }
  const { id } = (await scim.ask('POST', '/Users', { body: user })).body
  const activate = (active: boolean) => scim.ask('PUT', `/Users/${id}`, { body: { ...user, active } })
  assert.equal(await status(browser), 200)

  assert.equal((await activate(false)).status, 200)
  assert.equal(await status(browser), 401)
  const before = await entries()
  const again = await openBrowser(app).signIn(maya)
  assert.deepEqual([again.status, again.body], [403, refused])
  assert.equal(again.headers['set-cookie'], undefined)
  assert.equal(await entries(), before, 'nothing is recorded of a sign-in that did not happen')
  const state = (await boss.ask('GET', `/session/administrators/${admin.id}`)).body
  assert.deepEqual([state.deprovisioned_person_id, state.sessions], [id, []])
  const listed = (await boss.ask('GET', '/views/administrators')).body.data
  assert.deepEqual(
    listed.map((row: Record<string, unknown>) => [row['email'] === maya, row['deprovisioned_person_id']]),
    [
      [true, id],
      [false, null],
    ],
  )

  assert.equal((await activate(true)).status, 200)
  assert.equal(await status(browser), 200)
  assert.equal((await openBrowser(app).signIn(maya)).status, 200)
})

test('a wrong password says no more than it does of others', async () => {
  const { person, boss } = await mayaInBothRoles()
  assert.equal((await boss.ask('DELETE', `/people/${person.id}`)).status, 200)
  assert.equal((await openBrowser(app).signIn(maya, 'not the password')).body.error, 'sign_in_failed')
})

test('a passkey and a link let nobody in who is deprovisioned, and no link is made for them', async () => {
  const { admin, person, boss } = await mayaInBothRoles()
  const { organizationId } = app.tenant
  const browser = await signedIn()
  const authenticator = openAuthenticator(baseUrl)
  const challenge = async (by: Browser, path: string) => (await by.ask('POST', path)).body.options.challenge
  const response = authenticator.create(await challenge(browser, '/session/passkeys/options'))
  assert.equal((await browser.ask('POST', '/session/passkeys', { name: 'Laptop', response })).status, 200)
  const fresh = await addAdmin(app, { email: 'tom@acme.example' })
  const tom = await make.person(organizationId, { email: 'tom@acme.example' })
  const reset = (id: string) => boss.ask('POST', `/session/administrators/${id}/reset`)
  const token = new URL((await reset(fresh.id)).body.url).hash.slice(1)
  for (const { id } of [person, tom]) assert.equal((await boss.ask('DELETE', `/people/${id}`)).status, 200)

  const stranger = openBrowser(app)
  const proof = authenticator.get(await challenge(stranger, '/session/passkey/options'))
  assert.deepEqual((await stranger.ask('POST', '/session/passkey/sign_in', { response: proof })).body, refused)
  const accept = () => openBrowser(app).ask('POST', '/session/link/accept', { token, password: 'another long walk' })
  assert.deepEqual((await accept()).body, refused)
  const remade = await reset(admin.id)
  assert.deepEqual(
    [remade.status, remade.body.message],
    [403, 'maya@acme.example is deprovisioned. Restore the person first.'],
  )

  const restored = await boss.ask('POST', `/deprovisioned_people/${tom.id}/restore`)
  assert.equal(restored.status, 200)
  assert.equal((await accept()).status, 200, 'the link was not used up')
})

test('only who manages administrators deprovisions and restores one by hand', async () => {
  const { person, boss } = await mayaInBothRoles()
  const { organizationId } = app.tenant
  const browser = await signedIn()
  const other = await make.person(organizationId, { email: 'ana@acme.example' })
  const helper = await signedInAdmin(app, ['remove_devices'])
  const key = await app.addKey(['manage_people'])
  const path = `/people/${person.id}`
  const restoring = `/deprovisioned_people/${person.id}/restore`
  const byKey = (method: string, at: string, body?: object) => app.ask(method, at, { key, body })
  const lacks =
    'Your account lacks the permission Manage Administrators. An administrator with full access can change that.'
  const never = 'This needs Manage Administrators, which API keys cannot have. Sign in to the console.'

  assert.equal((await helper.ask('DELETE', path)).body.message, lacks)
  assert.equal((await byKey('DELETE', path)).body.message, never)
  assert.equal(await status(browser), 200)
  assert.equal((await helper.ask('DELETE', `/people/${other.id}`)).status, 200)
  assert.equal((await byKey('POST', `/deprovisioned_people/${other.id}/restore`)).status, 200)

  assert.equal((await boss.ask('DELETE', path)).status, 200)
  assert.equal(await status(browser), 401)
  assert.equal((await helper.ask('POST', restoring)).body.message, lacks)
  for (const [at, body] of [
    [restoring, undefined],
    ['/people', { name: 'Maya', email: maya }],
  ] as const) {
    assert.equal((await byKey('POST', at, body)).body.message, never)
  }
  assert.equal((await boss.ask('POST', restoring)).status, 200)
  assert.equal(await status(browser), 200)
})

test('the last administrator with full access who can sign in is neither deprovisioned by hand nor removed', async () => {
  const { admin, person, boss } = await mayaInBothRoles()
  const { organizationId } = app.tenant
  const bossAddress = (await boss.ask('GET', '/session')).body.administrator.email
  const bossId = (await boss.ask('GET', '/session')).body.administrator.id
  const self = await make.person(organizationId, { email: bossAddress })
  assert.equal((await boss.ask('DELETE', `/people/${person.id}`)).status, 200)

  const last = await boss.ask('DELETE', `/people/${self.id}`)
  assert.deepEqual([last.status, last.body.errors], [422, [mustStay]])
  assert.equal((await boss.ask('DELETE', `/session/administrators/${bossId}`)).status, 422)
  assert.equal(await status(boss), 200)

  const change = newChange(systemActor, organizationId, app.now())
  await transact(app.db, (tx) => removeAdminUser(tx, { id: admin.id }, change))
  assert.equal(await status(boss), 200)
})

testOnPostgres('of two administrators who deprovision each other at once, one stays', async () => {
  const { organizationId } = app.tenant
  for (let round = 0; round < 5; round += 1) {
    await app.reset()
    const both = await Promise.all(
      ['one@acme.example', 'two@acme.example'].map(async (email) => {
        await addAdmin(app, { email, organizationId: app.tenant.organizationId })
        const person = await make.person(app.tenant.organizationId, { email })
        return { browser: await signedIn(email), person }
      }),
    )
    const answers = await Promise.all(
      both.map(({ browser }, place) => browser.ask('DELETE', `/people/${both[1 - place]?.person.id}`)),
    )
    const done = answers.filter((answer) => answer.status === 200)
    assert.equal(done.length, 1, JSON.stringify([organizationId, ...answers.map(({ body }) => body)]))
  }
})

test('someone active with the address keeps the console, and another organization decides nothing', async () => {
  const { organizationId } = app.tenant
  const admin = await addAdmin(app, { email: maya })
  const other = await app.addTenant('Other')
  await make.person(other.organizationId, { email: maya, deprovisioned_at: app.now() })
  const browser = await signedIn()
  const out = await make.person(organizationId, { email: maya, deprovisioned_at: app.now() })
  assert.equal(await status(browser), 401)
  await app.db.updateTable('people').set({ is_duplicate: true }).where('id', '=', out.id).execute()
  await make.person(organizationId, { email: 'Maya@acme.example' })
  assert.equal(await status(browser), 200)
  assert.ok(admin.id)
})
