import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn() {
  const admin = await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const seen = (deviceId: string, at: string) =>
  app.db
    .insertInto('device_presence')
    .values({ organization_id: app.tenant.organizationId, device_id: deviceId, last_seen_at: at })
    .execute()

const hoursFromNow = (hours: number) => new Date(Date.parse(app.now()) + hours * 3_600_000).toISOString()

test('devices come in the order of what is to be done first, page after page, with their owners', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId, { name: 'Ana Ruiz' })
  const registered = { registered_owner_id: owner.id, registered_at: app.now() }
  const deviceIn = async (name: string, state: { auth_state?: 'blocked' | 'will_block'; will_block_at?: string }) => {
    const isOwned = state.auth_state !== undefined
    const { id } = await make.device(organizationId, isOwned ? { ...registered, name } : { name })
    if (isOwned) await app.db.updateTable('devices').set(state).where('id', '=', id).execute()
    return { id }
  }
  const good = await deviceIn('good', {})
  const later = await deviceIn('later', { auth_state: 'will_block', will_block_at: hoursFromNow(48) })
  const soon = await deviceIn('soon', { auth_state: 'will_block', will_block_at: hoursFromNow(3) })
  const blocked = await deviceIn('blocked', { auth_state: 'blocked' })
  const stale = await deviceIn('stale', { auth_state: 'blocked' })
  for (const { id } of [good, later, soon, blocked]) await seen(id, app.now())
  await seen(stale.id, hoursFromNow(-8 * 24))
  const browser = await signedIn()

  const names: [string, string, string | undefined][] = []
  let path = '/views/devices?per_page=2'
  for (let page = 0; page < 3; page += 1) {
    const { status, body } = await browser.ask('GET', path)
    assert.equal(status, 200)
    for (const row of body.data) names.push([row.name, row.standing, row.owner?.name])
    path = `/views/devices?per_page=2&cursor=${body.pagination.next_cursor}`
  }
  assert.deepEqual(names, [
    ['blocked', 'blocked', 'Ana Ruiz'],
    ['stale', 'stale', 'Ana Ruiz'],
    ['soon', 'will_block', 'Ana Ruiz'],
    ['later', 'will_block', 'Ana Ruiz'],
    ['good', 'good', undefined],
  ])

  const find = async (query: string) => {
    const list = await browser.ask('GET', `/views/devices?${query}`)
    const count = await browser.ask('GET', `/views/devices?count=true&${query}`)
    assert.equal(count.body.count, list.body.data.length)
    return list.body.data.map((row: { name: string }) => row.name)
  }
  assert.deepEqual(await find('standing=blocked,stale'), ['blocked', 'stale'])
  assert.deepEqual(await find('within=24h'), ['soon'])
  assert.deepEqual(await find('owner=none'), ['good'])
  await app.db
    .updateTable('devices')
    .set({ authentication_mode: 'anyone' })
    .where('id', 'in', [soon.id, good.id])
    .execute()
  assert.deepEqual(await find('mode=anyone'), ['soon'], 'nobody owns the other, so that nobody signs in with it')
  assert.deepEqual(await find('mode=only_registered_owner'), ['blocked', 'stale', 'later'])
  assert.deepEqual(await find('search=ana%20r'), ['blocked', 'stale', 'soon', 'later'])
  assert.deepEqual(await find('search=%25'), [], 'a per cent sign is no wildcard')
  assert.deepEqual(await find('platform=Windows&search=soon'), [])
  assert.equal((await browser.ask('GET', '/views/devices?standing=lost')).status, 422)

  const summary = await browser.ask('GET', '/views/summary')
  assert.deepEqual(summary.body.standings, { blocked: 1, will_block: 2, notified: 0, good: 1, stale: 1, never: 0 })
  assert.deepEqual(
    [summary.body.blocking_within_24h, summary.body.late, summary.body.waiting_requests],
    [1, 0, 0],
    'stale devices are counted apart',
  )
  assert.deepEqual(
    summary.body.next_to_block.map((row: { device_name: string }) => row.device_name),
    ['blocked', 'soon', 'later'],
  )
})

test('records are found by a part of their names, beginnings first, in one organization only', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant('Other')
  await make.device(other.organizationId, { name: 'ana-foreign' })
  const person = await make.person(organizationId, { name: 'Ana Ruiz', email: 'ana@acme.example' })
  const [inner, first] = [
    await make.device(organizationId, { name: 'old-ana-pc', serial: 'S1' }),
    await make.device(organizationId, { name: 'ana-pc', serial: 'S2', registered_owner_id: person.id }),
  ]
  const check = await make.check(organizationId, { name: 'Banana is ripe' })
  const browser = await signedIn()
  const { body } = await browser.ask('GET', '/views/find?q=ana')
  assert.deepEqual(body.data, [
    { kind: 'person', id: person.id, name: 'Ana Ruiz', detail: 'ana@acme.example' },
    { kind: 'device', id: first.id, name: 'ana-pc', detail: 'Ana Ruiz · Good · S2' },
    { kind: 'device', id: inner.id, name: 'old-ana-pc', detail: 'S1' },
    { kind: 'check', id: check.id, name: 'Banana is ripe', detail: null },
  ])
  assert.deepEqual((await browser.ask('GET', '/views/find?q=%25%25')).body.data, [], 'a per cent sign is no wildcard')
  assert.equal((await browser.ask('GET', '/views/find?q=a')).status, 422)
})

test('another organization’s devices are in no view', async () => {
  const other = await app.addTenant('Other')
  await make.device(other.organizationId, { name: 'foreign' })
  const browser = await signedIn()
  assert.deepEqual((await browser.ask('GET', '/views/devices')).body.data, [])
  assert.deepEqual((await browser.ask('GET', '/views/devices?count=true')).body, { count: 0 })
  assert.deepEqual((await browser.ask('GET', '/views/summary')).body.standings.never, 0)
})
