import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { relyingParty } from '../../../test/support/sign-in-browser.ts'
import { minuteMs, plusMs } from '../../base/time.ts'

const app = testApp()
const make = makeIn(app.database)
const { jwk } = await relyingParty()

beforeEach(async () => app.reset())

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

async function addConnection(browser: Awaited<ReturnType<typeof signedIn>>): Promise<string> {
  const asked = { kind: 'second_step', name: 'Payroll', redirect_uris: ['https://payroll.example.com/callback'] }
  const keys = { request_keys: { keys: [jwk] } }
  return (await browser.ask('POST', '/session/sign_in_connections', { ...asked, ...keys })).body.id
}

/** Accounts of a person, as [issuer, subject], each bound a minute after the one before. */
async function bind(personId: string, connectionId: string, accounts: readonly (readonly [string, string])[]) {
  const place = { organization_id: app.tenant.organizationId, connection_id: connectionId, person_id: personId }
  const rows = accounts.map(([issuer, subject], index) => ({
    ...place,
    ...{ issuer, subject, bound_at: plusMs(app.now(), (index - 10) * minuteMs) },
  }))
  await app.db.insertInto('person_identities').values(rows).execute()
}

const subjectsLeft = async () =>
  (await app.db.selectFrom('person_identities').select('subject').orderBy('subject').execute()).map(
    ({ subject }) => subject,
  )

const entries = () =>
  app.db
    .selectFrom('audit_logs')
    .select(['description', 'about'])
    .where('action', '=', 'person.identities_forgotten')
    .execute()

const [google, keycloak] = ['https://accounts.google.com', 'https://id.example/realms/acme']
const listOf = (id: string) => `/views/people/${id}/identities`
const forget = (id: string) => `/session/people/${id}/forget_identities`

test('listPersonIdentities and forgetPersonIdentities', async () => {
  const browser = await signedIn()
  const connectionId = await addConnection(browser)
  const { organizationId } = app.tenant
  const [ana, ben] = [await make.person(organizationId, { name: 'Ana Ruiz' }), await make.person(organizationId)]
  assert.deepEqual((await browser.ask('GET', listOf(ana.id))).body, { data: [] })
  assert.equal((await browser.ask('POST', forget(ana.id))).status, 204)
  assert.deepEqual(await entries(), [], 'where nothing is forgotten is no entry')
  await bind(ben.id, connectionId, [[google, 'ben-1']])
  await bind(ana.id, connectionId, [
    [keycloak, 'ana-1'],
    [google, 'ana-2'],
    [google, 'ana-3'],
  ])
  const { status, body } = await browser.ask('GET', listOf(ana.id))
  const boundAt = (minutes: number) => plusMs(app.now(), minutes * minuteMs)
  assert.equal(status, 200)
  assert.deepEqual(body.data, [
    { issuer: google, connection_name: 'Payroll', bound_at: boundAt(-8) },
    { issuer: google, connection_name: 'Payroll', bound_at: boundAt(-9) },
    { issuer: keycloak, connection_name: 'Payroll', bound_at: boundAt(-10) },
  ])
  for (let turn = 0; turn < 2; turn += 1) assert.equal((await browser.ask('POST', forget(ana.id))).status, 204)
  assert.deepEqual(await subjectsLeft(), ['ben-1'])
  const description = `Forgot 3 sign-in accounts of "Ana Ruiz", given by "${google}", "${keycloak}".`
  assert.deepEqual(await entries(), [{ description, about: [`person:${ana.id}`] }])
  for (const id of ['999', 'x']) {
    assert.equal((await browser.ask('GET', listOf(id))).status, 404)
    assert.equal((await browser.ask('POST', forget(id))).status, 404)
  }
})

test('the list of accounts is bounded, and all of them are forgotten', async () => {
  const browser = await signedIn()
  const connectionId = await addConnection(browser)
  const ana = await make.person(app.tenant.organizationId)
  await bind(
    ana.id,
    connectionId,
    Array.from({ length: 101 }, (_, index) => [google, `ana-${index}`] as const),
  )
  assert.equal((await browser.ask('GET', listOf(ana.id))).body.data.length, 100)
  assert.equal((await browser.ask('POST', forget(ana.id))).status, 204)
  assert.deepEqual(await subjectsLeft(), [])
})

test('forgetting accounts needs a power and a fresh proof, and stays in its organization', async () => {
  const browser = await signedIn()
  const connectionId = await addConnection(browser)
  const ana = await make.person(app.tenant.organizationId)
  await bind(ana.id, connectionId, [[google, 'ana-1']])
  const limited = await signedIn({ email: 'tom@acme.example', access: 'limited', restrictions: ['manage_sign_in'] })
  assert.equal((await limited.ask('POST', forget(ana.id))).status, 403)
  assert.equal((await limited.ask('GET', listOf(ana.id))).body.data.length, 1)
  const other = await app.addTenant('Globex')
  const stranger = await signedIn({ email: 'eve@globex.example', organizationId: other.organizationId })
  assert.equal((await stranger.ask('POST', forget(ana.id))).status, 404)
  assert.equal((await stranger.ask('GET', listOf(ana.id))).status, 404)
  app.setNow(plusMs(app.now(), 20 * minuteMs))
  const late = await browser.ask('POST', forget(ana.id))
  assert.deepEqual([late.status, late.body.error], [403, 'step_up_needed'])
  assert.deepEqual(await subjectsLeft(), ['ana-1'])
  assert.deepEqual(await entries(), [])
})
