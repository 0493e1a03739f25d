import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { RefusedPerson } from '@muster/contract/console-sign-in.ts'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { relyingParty } from '../../../test/support/sign-in-browser.ts'
import { addCompanionKey } from '../../agents/companion-keys/add-companion-key.ts'
import { transact } from '../../base/db/transact.ts'

const app = testApp()
const make = makeIn(app.database)

beforeEach(async () => app.reset())

async function signedIn(organizationId?: string) {
  const admin = await addAdmin(app, organizationId === undefined ? {} : { organizationId, email: 'eve@globex.example' })
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const at = '/session/sign_in_connections'
const { jwk } = await relyingParty()
const payroll = {
  ...{ kind: 'second_step', name: 'Payroll', redirect_uris: ['https://payroll.example.com/callback'] },
  ...{ mode: 'observe', request_keys: { keys: [jwk] } },
}
const daysAgo = (days: number) => new Date(Date.parse(app.now()) - days * 86_400_000).toISOString()

const person = (name: string) =>
  make.person(app.tenant.organizationId, { name, email: `${name.toLowerCase()}@acme.example` })

type Wanted = {
  type?: 'Linux' | 'Mac' | 'iOS'
  contact?: number
  suspended?: boolean
  state?: 'good' | 'will_block' | 'blocked'
  linked?: boolean
}

/** A device of this person; its companion was heard of so many days ago. */
async function deviceOf(
  ownerId: string,
  name: string,
  { contact = 0, suspended, state = 'good', linked = true, type = 'Linux' }: Wanted,
) {
  const { organizationId } = app.tenant
  const device = await make.device(organizationId, { name, registered_owner_id: ownerId, device_type: type })
  const change = { auth_state: state, ...(suspended && { registration_suspended_at: app.now() }) }
  await app.db.updateTable('devices').set(change).where('id', '=', device.id).execute()
  const facts = {
    isBundled: true,
    hardwareUuid: null,
    serial: name,
    hostname: name,
    platform: 'linux',
    agentVersion: '1',
  }
  const key = {
    organizationId,
    kid: `kid-${name}`,
    jwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } as const,
    now: app.now(),
  }
  await transact(app.db, (tx) => addCompanionKey(tx, key, facts))
  await app.db
    .updateTable('companion_keys')
    .set({ device_id: device.id, status: linked ? 'linked' : 'linking', last_contact_at: daysAgo(contact) })
    .where('kid', '=', key.kid)
    .execute()
  return device
}

async function connection() {
  const browser = await signedIn()
  const { body } = await browser.ask('POST', at, payroll)
  const report = async () => (await browser.ask('GET', `/views/sign_in_connections/${body.id}/readiness`)).body
  const people = async (query = '') => {
    const answer = await browser.ask('GET', `/views/sign_in_connections/${body.id}/refused_people${query}`)
    return answer.body.data.map((one: RefusedPerson) => [one.name, one.reason, one.device_name])
  }
  const enforce = (count?: number) =>
    browser.ask('PATCH', `${at}/${body.id}`, { mode: 'enforce', ...(count !== undefined && { refused_count: count }) })
  return { browser, ...body, report, people, enforce }
}

test('getSignInReadiness and listRefusedPeople name each person once, with the reason of the device that comes closest', async () => {
  const { organizationId } = app.tenant
  const [fine, blocked, silent, linking, none, suspended, both] = await Promise.all(
    ['Fine', 'Blocked', 'Silent', 'Linking', 'None', 'Suspended', 'Both'].map(person),
  )
  for (const one of [fine, blocked, silent, linking, none, suspended, both]) assert.ok(one)
  await deviceOf(fine?.id ?? '', 'fine', { state: 'will_block' })
  await deviceOf(blocked?.id ?? '', 'blocked', { state: 'blocked' })
  await deviceOf(blocked?.id ?? '', 'blocked-old', { contact: 40 })
  await deviceOf(silent?.id ?? '', 'silent', { contact: 8 })
  await deviceOf(linking?.id ?? '', 'linking', { linked: false })
  await deviceOf(suspended?.id ?? '', 'suspended', { suspended: true })
  await deviceOf(both?.id ?? '', 'both-blocked', { state: 'blocked' })
  await deviceOf(both?.id ?? '', 'both-good', {})
  const gone = await person('Gone')
  await app.db.updateTable('people').set({ deprovisioned_at: app.now() }).where('id', '=', gone.id).execute()
  await make.person((await app.addTenant('Globex')).organizationId)

  const { report, people } = await connection()
  const counts = { no_device: 1, no_companion: 1, companion_silent: 1, suspended: 1, blocked: 1 }
  const reasons = { ...counts, no_companion_for_platform: 0, phone_only: 0 }
  assert.deepEqual(await report(), { people_count: 7, refused_count: 5, reasons, platforms: [] })
  assert.deepEqual((await people()).sort(), [
    ['Blocked', 'blocked', 'blocked'],
    ['Linking', 'no_companion', 'linking'],
    ['None', 'no_device', null],
    ['Silent', 'companion_silent', 'silent'],
    ['Suspended', 'suspended', 'suspended'],
  ])
  assert.deepEqual(await people('?reason=no_device'), [['None', 'no_device', null]])
  await app.db.updateTable('devices').set({ deleted_at: app.now() }).where('name', '=', 'fine').execute()
  assert.deepEqual((await people('?reason=no_device')).length, 2)
  assert.equal(
    (await app.db.selectFrom('people').where('organization_id', '=', organizationId).select('id').execute()).length,
    8,
  )
})

test('people whose devices no companion is made for are counted by platform, and not where a companion is linked all the same', async () => {
  const people = await Promise.all(['Mac', 'Other', 'Phone', 'Linked', 'Both'].map(person))
  const [mac, other, phone, linked, both] = people.map(({ id }) => id)
  await deviceOf(mac ?? '', 'mac', { type: 'Mac', linked: false })
  await deviceOf(other ?? '', 'other-mac', { type: 'Mac', linked: false })
  await deviceOf(phone ?? '', 'ipad', { type: 'iOS', linked: false })
  await deviceOf(linked ?? '', 'own-build', { type: 'Mac' })
  await deviceOf(both ?? '', 'both-mac', { type: 'Mac', linked: false })
  await deviceOf(both ?? '', 'both-linux', { linked: false })
  const { report, people: refused } = await connection()
  const { reasons, platforms, refused_count: count } = await report()
  assert.deepEqual([count, reasons.no_companion_for_platform, reasons.no_companion], [4, 3, 1])
  assert.deepEqual(platforms, [
    { device_type: 'Mac', people_count: 2 },
    { device_type: 'iOS', people_count: 1 },
  ])
  assert.deepEqual((await refused('?reason=no_companion_for_platform')).map(([name]: string[]) => name).sort(), [
    'Mac',
    'Other',
    'Phone',
  ])
  assert.deepEqual(await refused('?reason=no_companion'), [['Both', 'no_companion', 'both-linux']])
})

test('people who came only from phones would be refused, and those who came from a computer once would not', async () => {
  const { id: connectionId, people } = await connection()
  const { organizationId } = app.tenant
  const [phone, mixed, elsewhere] = await Promise.all(['Phone', 'Mixed', 'Elsewhere'].map(person))
  const phones = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148'
  const computer = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
  const log = (one: typeof phone, browser_user_agent: string, days: number, connection_id = connectionId) =>
    make.authLog(organizationId, {
      person_id: one?.id ?? '',
      browser_user_agent,
      started_at: daysAgo(days),
      connection_id,
    })
  for (const one of [phone, mixed, elsewhere]) await deviceOf(one?.id ?? '', `of-${one?.name}`, {})
  await log(phone, phones, 3)
  await log(phone, computer, 31)
  await log(mixed, phones, 3)
  await log(mixed, computer, 29)
  await log(elsewhere, phones, 3, '999')
  assert.deepEqual(await people(), [['Phone', 'phone_only', 'of-Phone']])
})

test('a shared device counts for the members of its groups', async () => {
  const { organizationId } = app.tenant
  const [owner, member] = await Promise.all(['Owner', 'Member'].map(person))
  const device = await deviceOf(owner?.id ?? '', 'shared', {})
  const group = await make.personGroup(organizationId, { personIds: [member?.id ?? ''] })
  const allowed = { organization_id: organizationId, device_id: device.id, person_group_id: group.id }
  const { people } = await connection()
  assert.deepEqual(await people(), [['Member', 'no_device', null]])
  await app.db.insertInto('device_authentication_groups').values(allowed).execute()
  await app.db
    .updateTable('devices')
    .set({ authentication_mode: 'only_registered_owner_or_group_members' })
    .where('id', '=', device.id)
    .execute()
  assert.deepEqual(await people(), [])
})

test('enforcement is turned on only with the number of people who would be refused now', async () => {
  const ana = await person('Ana')
  const { id, browser, enforce } = await connection()
  const mode = async () => (await browser.ask('GET', `/views/sign_in_connections/${id}`)).body.mode
  const unasked = await enforce()
  const needed = 'is needed to enforce: 1 person would be refused today'
  assert.deepEqual([unasked.status, unasked.body.errors], [422, [{ field: 'refused_count', message: needed }]])
  await person('Bo')
  const stale = await enforce(1)
  assert.deepEqual([stale.status, stale.body.error], [422, 'preview_outdated'])
  assert.match(stale.body.message, /^Now 2 people would be refused, not 1\./)
  assert.equal(await mode(), 'observe')
  await deviceOf(ana.id, 'ana', {})
  assert.equal((await enforce(2)).status, 422)
  assert.equal((await enforce(1)).status, 204)
  assert.equal(await mode(), 'enforce')
  assert.equal((await enforce()).status, 204, 'it enforces already')
  assert.equal((await browser.ask('PATCH', `${at}/${id}`, { mode: 'disabled' })).status, 204)
  assert.equal((await enforce()).status, 422)
})

test('the report and the files are those of the organization alone', async () => {
  const { id } = await connection()
  const other = await app.addTenant('Globex')
  const stranger = await signedIn(other.organizationId)
  assert.equal((await stranger.ask('GET', `/views/sign_in_connections/${id}`)).status, 404)
  assert.equal((await stranger.ask('GET', `/views/sign_in_connections/${id}/readiness`)).status, 404)
  assert.equal((await stranger.ask('GET', `/views/sign_in_connections/${id}/refused_people`)).status, 404)
  const policy = async () => await stranger.ask('GET', '/views/browser_policies/muster-chrome-edge.json')
  const own = `https://organization-${other.organizationId}.muster.test`
  assert.deepEqual((await policy()).body.LoopbackNetworkAllowedForUrls, [own])
  await app.db.updateTable('organizations').set({ base_url: null }).where('id', '=', other.organizationId).execute()
  assert.equal((await policy()).status, 422)
})

test('downloadBrowserPolicy answers a file for the address of the organization', async () => {
  const browser = await signedIn()
  const { status, headers, body } = await browser.ask('GET', '/views/browser_policies/muster-chrome-edge.json')
  assert.equal(status, 200)
  assert.equal(headers['content-disposition'], 'attachment; filename="muster-chrome-edge.json"')
  assert.deepEqual(body.LoopbackNetworkAllowedForUrls, [baseUrl])
  assert.equal((await browser.ask('GET', '/views/browser_policies/other.json')).status, 404)
})
