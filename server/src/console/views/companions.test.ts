import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { makeCompanion } from '../../../test/support/make-companion.ts'
import { standsWithCompanion } from '../../agents/companion-keys/companion-of-device.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn() {
  const browser = openBrowser(app)
  assert.equal((await browser.signIn((await addAdmin(app)).email)).status, 200)
  return browser
}

const earlier = '2026-11-20T08:00:00.000Z'
const later = '2026-11-20T09:00:00.000Z'

/** A computer of each standing, a phone, a deleted computer, and the same in another organization. */
async function fleet() {
  const { organizationId } = app.tenant
  const device = (name: string, more = {}) => make.device(organizationId, { name, ...more })
  const linked = await device('linked')
  const linking = await device('linking')
  const none = await device('none')
  const twice = await device('twice')
  const phone = await device('phone', { device_type: 'iOS' })
  const gone = await device('gone', { deleted_at: app.now() })
  const foreign = await make.device((await app.addTenant('Other')).organizationId, { name: 'foreign' })
  await makeCompanion(app.db, linked, { kid: 'linked', port: 17_443, taken_ports: [15_861] })
  await makeCompanion(app.db, linked, { kid: 'newer', status: 'linking', enrolled_at: '2026-11-20T10:30:00.000Z' })
  await makeCompanion(app.db, linking, {
    kid: 'old',
    status: 'linking',
    linked_at: null,
    linked_by: null,
    enrolled_at: earlier,
  })
  await makeCompanion(app.db, linking, {
    kid: 'new',
    status: 'linking',
    linked_at: null,
    linked_by: null,
    enrolled_at: later,
  })
  await makeCompanion(app.db, twice, {
    kid: 'twice',
    is_bundled: true,
    linked_by: 'node_key',
    seen_twice_at: later,
    last_proved_at: earlier,
    taken_ports: [15_861, 17_443],
  })
  await makeCompanion(app.db, gone, { kid: 'gone', seen_twice_at: later })
  await makeCompanion(app.db, foreign, { kid: 'foreign', seen_twice_at: later })
  return { linked, linking, none, twice, phone, gone, foreign }
}

test('the companion of a device is its linked key, or else the newest that waits for its link', async () => {
  const { linked, linking, none, twice, gone, foreign } = await fleet()
  const browser = await signedIn()
  const read = async ({ id }: { id: string }) => {
    const { status, body } = await browser.ask('GET', `/views/devices/${id}/companion`)
    return status === 200 ? body : status
  }
  const facts = { agent_version: '1.4.0', is_bundled: false }
  const proved = { ...facts, linked_at: app.now(), linked_by: 'file', last_contact_at: app.now() }
  const silent = { port: null, taken_ports: [] }
  const never = { last_proved_at: null, seen_twice_at: null, ...silent }
  assert.deepEqual(await read(linked), {
    companion: { state: 'linked', kid: 'linked', ...proved, ...never, port: 17_443, taken_ports: [15_861] },
  })
  assert.deepEqual(await read(linking), {
    companion: { state: 'linking', kid: 'new', ...proved, linked_at: null, linked_by: null, ...never },
  })
  assert.deepEqual(await read(none), { companion: null })
  assert.deepEqual(await read(twice), {
    companion: {
      ...{ state: 'linked', kid: 'twice', ...proved, is_bundled: true, linked_by: 'node_key' },
      ...{ last_proved_at: earlier, seen_twice_at: later, port: null, taken_ports: [15_861, 17_443] },
    },
  })
  assert.deepEqual([await read(gone), await read(foreign)], [404, 404])
})

test('devices are filtered by how they stand with their companions, in lists, counts and sheets', async () => {
  await fleet()
  const browser = await signedIn()
  const cases = {
    linked: ['linked', 'twice'],
    linking: ['linking'],
    none: ['none', 'phone'],
    seen_twice: ['twice'],
  }
  for (const [companion, names] of Object.entries(cases)) {
    const path = `/views/devices?companion=${companion}&sort=name`
    const { body } = await browser.ask('GET', path)
    const found = body.data.map(({ name }: { name: string }) => name)
    assert.deepEqual(found, names, companion)
    const sheet = await browser.ask('GET', `${path}&format=csv`)
    for (const name of ['linked', 'linking', 'none', 'twice', 'phone', 'gone', 'foreign']) {
      assert.equal(new RegExp(`\\b${name}\\b`).test(sheet.body), names.includes(name), `${companion}: ${name}`)
    }
  }
  assert.equal((await browser.ask('GET', '/views/devices?companion=lost')).status, 422)
})

test('the computers of an organization are counted by their companions', async () => {
  const { linked, foreign } = await fleet()
  const waiting = { status: 'linking', device_id: null, linked_at: null, linked_by: null } as const
  for (const kid of ['alone', 'stranded']) await makeCompanion(app.db, linked, { ...waiting, kid })
  await makeCompanion(app.db, foreign, { ...waiting, kid: 'foreign and alone' })
  const browser = await signedIn()
  const read = async () => (await browser.ask('GET', '/views/companion_summary')).body
  const pc = await make.device(app.tenant.organizationId, { device_type: 'Windows' })
  const ofPcs = { device_type: 'Windows', computers: 1, none: 1 }
  const totals = { computers: 5, linked: 2, linking: 1, none: 2, seen_twice: 1, without_device: 2 }
  const ofMacs = { device_type: 'Mac', computers: 4, none: 1 }
  assert.deepEqual(await read(), { ...totals, by_type: [ofMacs, ofPcs] })
  await app.db.deleteFrom('devices').where('id', '=', pc.id).execute()
  const counts = { ...totals, computers: 4, none: 1, by_type: [ofMacs] }
  assert.deepEqual(await read(), counts)
  await app.db.deleteFrom('companion_keys').where('device_id', '=', linked.id).execute()
  assert.deepEqual(await read(), { ...counts, linked: 1, none: 2, by_type: [{ ...ofMacs, none: 2 }] })
})

test('the filter asks for the keys of an organization first', () => {
  const { sql: text } = sql`${standsWithCompanion('7', 'linking')}`.compile(app.db)
  assert.equal(text.match(/from companion_keys as key where key\.organization_id = /g)?.length, 2)
})
