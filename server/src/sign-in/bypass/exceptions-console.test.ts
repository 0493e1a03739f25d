import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { relyingParty } from '../../../test/support/sign-in-browser.ts'
import { hourMs, minuteMs, plusMs } from '../../base/time.ts'
import { capPauses } from '../connections/pause-connection.ts'
import { capBypassCodes } from './bypass-codes.ts'

const app = testApp()
const make = makeIn(app.database)

beforeEach(async () => app.reset())

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

type Browser = Awaited<ReturnType<typeof signedIn>>
const { jwk } = await relyingParty()
const connections = '/session/sign_in_connections'
const codes = '/session/bypass_codes'

const addConnection = async (browser: Browser): Promise<string> => {
  const wanted = {
    ...{
      kind: 'second_step',
      mode: 'enforce',
      name: 'Payroll',
      redirect_uris: ['https://payroll.example.com/callback'],
    },
    request_keys: { keys: [jwk] },
  }
  return (await browser.ask('POST', connections, wanted)).body.id
}

const auditOf = async (action: string) =>
  app.db
    .selectFrom('audit_logs')
    .select(['description', 'ip_address', 'changes'])
    .where('action', '=', action)
    .executeTakeFirstOrThrow()

test('a pause and a code that were made while a clock was ahead end when the longest of their kind ends', async () => {
  const browser = await signedIn()
  const id = await addConnection(browser)
  const person = await make.person(app.tenant.organizationId)
  await browser.ask('POST', `${connections}/${id}/pause`, { minutes: 60, reason: 'An outage' })
  await browser.ask('POST', codes, { connection_id: id, person_id: person.id, hours: 2, reason: 'Lost laptop' })
  const ends = async () => {
    const { paused_until } = await app.db
      .selectFrom('signin_connections')
      .select('paused_until')
      .executeTakeFirstOrThrow()
    const { expires_at } = await app.db.selectFrom('bypass_codes').select('expires_at').executeTakeFirstOrThrow()
    return [paused_until, expires_at]
  }
  const cap = async () => {
    await capPauses(app.db, app.now())
    await capBypassCodes(app.db, app.now())
  }
  const meant = [plusMs(app.now(), hourMs), plusMs(app.now(), 2 * hourMs)]
  await cap()
  assert.deepEqual(await ends(), meant)
  const longest = [plusMs(app.now(), 24 * hourMs), plusMs(app.now(), 8 * hourMs)] as const
  await app.db
    .updateTable('signin_connections')
    .set({ paused_until: plusMs(longest[0], 72 * hourMs) })
    .execute()
  await app.db
    .updateTable('bypass_codes')
    .set({ expires_at: plusMs(longest[1], 72 * hourMs) })
    .execute()
  await cap()
  assert.deepEqual(await ends(), longest)
})

test('pauseSignInConnection and resumeSignInConnection', async () => {
  const browser = await signedIn()
  const id = await addConnection(browser)
  const paused = await browser.ask('POST', `${connections}/${id}/pause`, { minutes: 240, reason: 'Agent update' })
  assert.deepEqual([paused.status, paused.body.paused_until], [200, plusMs(app.now(), 240 * minuteMs)])
  const list = async () => (await browser.ask('GET', '/views/sign_in_connections')).body.data[0]
  assert.deepEqual(
    [(await list()).paused_until, (await list()).pause_reason],
    [paused.body.paused_until, 'Agent update'],
  )
  const entry = await auditOf('signin_connection.paused')
  assert.match(entry.description, /Paused the sign-in connection "Payroll" until .*Reason: Agent update/)
  assert.ok(entry.ip_address)
  assert.equal((await browser.ask('POST', `${connections}/${id}/resume`)).status, 204)
  assert.equal((await browser.ask('POST', `${connections}/${id}/resume`)).status, 204)
  assert.equal((await list()).paused_until, null)
  const resumed = await app.db
    .selectFrom('audit_logs')
    .select('id')
    .where('action', '=', 'signin_connection.resumed')
    .execute()
  assert.equal(resumed.length, 1, 'ending what has ended is no entry')
  for (const body of [
    { minutes: 1_441, reason: 'x' },
    { minutes: 0, reason: 'x' },
    { minutes: 5, reason: '' },
    { minutes: 5 },
  ]) {
    assert.equal((await browser.ask('POST', `${connections}/${id}/pause`, body)).status, 422, JSON.stringify(body))
  }
  assert.equal((await browser.ask('POST', `${connections}/999/pause`, { minutes: 5, reason: 'x' })).status, 404)
})

test('createBypassCode, listBypassCodes and withdrawBypassCode', async () => {
  const browser = await signedIn()
  const connectionId = await addConnection(browser)
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { name: 'Ana Ruiz' })
  const wanted = { person_id: ana.id, connection_id: connectionId, hours: 4, reason: 'Loaner laptop' }
  const made = await browser.ask('POST', codes, wanted)
  assert.equal(made.status, 200)
  assert.match(made.body.code, /^\w{5}-\w{5}$/)
  assert.equal(made.body.expires_at, plusMs(app.now(), 4 * hourMs))
  const list = async (query = '') => (await browser.ask('GET', `/views/bypass_codes${query}`)).body.data
  const [listed] = await list(`?person_id=${ana.id}&connection_id=${connectionId}`)
  assert.equal(JSON.stringify(await list()).includes(made.body.code), false)
  assert.deepEqual(
    [listed.person_name, listed.connection_name, listed.reason, listed.used_at, listed.withdrawn_at],
    ['Ana Ruiz', 'Payroll', 'Loaner laptop', null, null],
  )
  assert.deepEqual(await list('?person_id=999'), [])
  const entry = await auditOf('bypass_code.created')
  assert.match(entry.description, /Gave "Ana Ruiz" a code that opens "Payroll" once until .* Reason: Loaner laptop/)
  assert.equal(entry.description.includes(made.body.code), false)
  const { id } = made.body
  assert.equal((await browser.ask('DELETE', `${codes}/${id}`)).status, 204)
  assert.equal((await browser.ask('DELETE', `${codes}/${id}`)).status, 404)
  assert.equal((await list())[0].withdrawn_at, app.now())
  for (let count = 0; count < 5; count += 1) assert.equal((await browser.ask('POST', codes, wanted)).status, 200)
  const sixth = await browser.ask('POST', codes, wanted)
  assert.deepEqual([sixth.status, sixth.body.message], [422, '"Ana Ruiz" has 5 codes already. Withdraw one first.'])
  assert.equal((await browser.ask('POST', codes, { ...wanted, hours: 9 })).status, 422)
  const left = await make.person(organizationId, { deprovisioned_at: app.now() })
  assert.equal((await browser.ask('POST', codes, { ...wanted, person_id: left.id })).status, 404)
})

test('codes need a power of their own and a fresh proof, and stay in their organization', async () => {
  const browser = await signedIn()
  const connectionId = await addConnection(browser)
  const ana = await make.person(app.tenant.organizationId)
  const wanted = { person_id: ana.id, connection_id: connectionId, hours: 4, reason: 'x' }
  const limited = await signedIn({ email: 'tom@acme.example', access: 'limited', restrictions: ['bypass_sign_in'] })
  assert.equal((await limited.ask('POST', codes, wanted)).status, 403)
  const other = await app.addTenant('Globex')
  const stranger = await signedIn({ email: 'eve@globex.example', organizationId: other.organizationId })
  assert.equal((await stranger.ask('POST', codes, wanted)).status, 404)
  const made = await browser.ask('POST', codes, wanted)
  assert.equal((await stranger.ask('DELETE', `${codes}/${made.body.id}`)).status, 404)
  assert.deepEqual((await stranger.ask('GET', '/views/bypass_codes')).body.data, [])
  assert.equal(
    (await stranger.ask('POST', `${connections}/${connectionId}/pause`, { minutes: 5, reason: 'x' })).status,
    404,
  )
  app.setNow(plusMs(app.now(), 20 * minuteMs))
  const late = await browser.ask('POST', codes, wanted)
  assert.deepEqual([late.status, late.body.error], [403, 'step_up_needed'])
})

test('a connection that takes no code gives none, with the reason', async () => {
  const browser = await signedIn()
  const { id: personId } = await make.person(app.tenant.organizationId)
  const id = await addConnection(browser)
  const give = async (connectionId: string) => {
    const wanted = { person_id: personId, connection_id: connectionId, hours: 1, reason: 'x' }
    const { status, body } = await browser.ask('POST', codes, wanted)
    return [status, body.errors?.[0]?.field, body.message]
  }
  await browser.ask('PATCH', `${connections}/${id}`, { mode: 'disabled' })
  assert.deepEqual(await give(id), [422, 'connection_id', 'It is disabled: it refuses everyone, with a code too.'])
  await browser.ask('PATCH', `${connections}/${id}`, { mode: 'observe' })
  assert.equal((await give(id))[0], 200)
  const tenant = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
  const asked = { name: 'Microsoft 365', cloud: 'global', tenant_ids: [tenant], app_id: tenant }
  const { body: entra } = await browser.ask('POST', '/session/entra_connections', asked)
  const refused = await give(entra.id)
  assert.deepEqual(refused.slice(0, 2), [422, 'connection_id'])
  assert.match(String(refused[2]), /^Microsoft Entra takes no codes: it asks for a proof of the device/)
})
