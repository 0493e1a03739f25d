import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { recordDays } from '../../reporting/compliance-days/record-days.ts'

const app = testApp()
const make = makeIn(app)
const standings = ['blocked', 'will_block', 'notified', 'good', 'stale', 'never'] as const
type State = 'blocked' | 'will_block' | 'notified' | 'good'

beforeEach(async () => {
  app.setNow('2026-11-01T10:00:00.000Z')
  await app.reset()
})

async function signedIn(organizationId?: string) {
  const admin = await addAdmin(app, organizationId === undefined ? {} : { organizationId, email: 'other@b.example' })
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

async function stands(id: string, state: State, silentMs = 0) {
  const { organization_id } = await app.db
    .updateTable('devices')
    .set({ auth_state: state })
    .where('id', '=', id)
    .returning('organization_id')
    .executeTakeFirstOrThrow()
  const presence = { organization_id, device_id: id, last_seen_at: plusMs(app.now(), -silentMs) }
  const again = { last_seen_at: presence.last_seen_at }
  await app.db
    .insertInto('device_presence')
    .values(presence)
    .onConflict((conflict) => conflict.columns(['organization_id', 'device_id']).doUpdateSet(again))
    .execute()
}

const remove = (id: string) =>
  app.db.updateTable('devices').set({ deleted_at: app.now() }).where('id', '=', id).execute()

type Browser = Awaited<ReturnType<typeof signedIn>>
type Listed = { id: string; name: string; standing: string }

async function walk(browser: Browser, query: string): Promise<Listed[]> {
  const rows: Listed[] = []
  let cursor = ''
  do {
    const { status, body } = await browser.ask('GET', `/views/devices?${query}${cursor}`)
    assert.equal(status, 200, JSON.stringify(body))
    rows.push(...body.data)
    cursor = body.pagination.next_cursor && `&cursor=${body.pagination.next_cursor}`
  } while (cursor !== '')
  return rows
}

const namesOf = (rows: readonly Listed[]) => rows.map(({ name, standing }) => `${name} ${standing}`)

test('the list as of each day has the devices that the chart counted, state by state', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant('Other')
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const living: string[] = []
  const states: readonly State[] = ['blocked', 'will_block', 'notified', 'good']
  const foreign = await make.device(other.organizationId, { name: 'foreign' })
  for (let day = 1; day <= 20; day += 1) {
    for (const hour of ['09', '17', '23']) {
      app.setNow(`2026-11-${String(day).padStart(2, '0')}T${hour}:59:00.000Z`)
      if (next(2) === 0) living.push((await make.device(organizationId, { name: `mac-${living.length}` })).id)
      for (const id of living) {
        if (next(5) === 0) await stands(id, states[next(4)] ?? 'good', next(3) === 0 ? 8 * dayMs : 0)
        const fate = next(60)
        if (fate === 0) await remove(id)
        if (fate === 1) {
          await app.db.updateTable('devices').set({ deleted_at: null }).where('id', '=', id).execute()
        }
      }
      await stands(foreign.id, states[next(4)] ?? 'good')
      // The process is down on some days.
      if (day % 7 !== 3) await recordDays(app.db, app.now())
    }
  }
  app.setNow('2026-11-21T08:00:00.000Z')
  const browser = await signedIn()
  const { days } = (await browser.ask('GET', '/views/summary')).body
  assert.equal(days.length, 17)
  for (const { day, ...figures } of days as ({ day: string } & Record<string, number>)[]) {
    const rows = await walk(browser, `as_of=${day}&per_page=7`)
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
    const counted = standings.map((name) => [name, rows.filter(({ standing }) => standing === name).length])
    assert.deepEqual(Object.fromEntries(counted), figures, day)
    for (const name of standings) {
      const { count } = (await browser.ask('GET', `/views/devices?count=true&as_of=${day}&standing=${name}`)).body
      assert.equal(count, figures[name], `${day} ${name}`)
    }
    const described = (await browser.ask('GET', `/views/day?as_of=${day}`)).body
    assert.deepEqual(described, { day, standings: figures, unlisted: 0 })
  }
  assert.deepEqual(await walk(browser, 'as_of=2026-11-10'), [], 'of a day that was not counted nothing is known')
  const unknown = { day: '2026-11-10', standings: null, unlisted: 0 }
  assert.deepEqual((await browser.ask('GET', '/views/day?as_of=2026-11-10')).body, unknown)
  const theirs = await signedIn(other.organizationId)
  assert.deepEqual([...new Set((await walk(theirs, 'as_of=2026-11-19')).map(({ name }) => name))], ['foreign'])
})

/** Four devices: one was deleted the day after, one enrolled later. */
async function twoDays() {
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { name: 'Ana Ruiz' })
  const group = await make.deviceGroup(organizationId, { name: 'Loans' })
  const one = await make.device(organizationId, { name: 'b-mac', registered_owner_id: ana.id, groupIds: [group.id] })
  const two = await make.device(organizationId, { name: 'A-mac', device_type: 'Linux' })
  const gone = await make.device(organizationId, { name: 'c-gone', serial: 'C02' })
  await stands(one.id, 'blocked')
  await stands(two.id, 'good')
  await stands(gone.id, 'will_block')
  app.setNow('2026-11-02T23:59:00.000Z')
  await recordDays(app.db, app.now())
  app.setNow('2026-11-03T09:00:00.000Z')
  await stands(one.id, 'good')
  await remove(gone.id)
  const late = await make.device(organizationId, { name: 'd-late' })
  const short = await make.device(organizationId, { name: 'e-gone-the-same-day' })
  await recordDays(app.db, app.now())
  app.setNow('2026-11-03T23:59:00.000Z')
  await remove(short.id)
  await recordDays(app.db, app.now())
  app.setNow('2026-11-05T09:00:00.000Z')
  return { one, two, gone, late, group }
}

test('devices stand as they did, with what was deleted since and without what enrolled later', async () => {
  const { one, gone, group } = await twoDays()
  const browser = await signedIn()
  const { body } = await browser.ask('GET', '/views/devices?as_of=2026-11-02')
  assert.deepEqual(namesOf(body.data), ['b-mac blocked', 'c-gone will_block', 'A-mac good'], 'the worst first')
  assert.deepEqual(body.data[1], {
    id: gone.id,
    name: 'c-gone',
    device_type: 'Mac',
    standing: 'will_block',
    identity_doubts: [],
    will_block_at: null,
    blocked_since: null,
    owner: null,
    operating_system: body.data[1].operating_system,
    serial: 'C02',
    open_issues: null,
    last_seen_at: null,
    deleted_at: '2026-11-03T09:00:00.000Z',
  })
  const of = async (query: string) => namesOf(await walk(browser, `as_of=2026-11-02&per_page=2${query}`))
  assert.deepEqual(await of('&sort=name'), ['A-mac good', 'b-mac blocked', 'c-gone will_block'])
  assert.deepEqual(await of('&sort=-name'), ['c-gone will_block', 'b-mac blocked', 'A-mac good'])
  assert.deepEqual(await of('&standing=blocked,will_block'), ['b-mac blocked', 'c-gone will_block'])
  assert.deepEqual(await of('&search=c02'), ['c-gone will_block'])
  assert.deepEqual(await of('&search=ruiz'), ['b-mac blocked'])
  assert.deepEqual(await of(`&group_id=${group.id}`), ['b-mac blocked'])
  assert.deepEqual(await of('&platform=Linux'), ['A-mac good'])
  assert.deepEqual(await of('&owner=none'), ['c-gone will_block', 'A-mac good'])
  assert.deepEqual(namesOf(await walk(browser, 'as_of=2026-11-03')), ['b-mac good', 'A-mac good', 'd-late never'])
  assert.deepEqual(await walk(browser, 'as_of=2026-11-04'), [])
  const { headers, body: file } = await browser.ask('GET', '/views/devices?format=csv&as_of=2026-11-02&search=mac')
  assert.equal(headers['content-disposition'], 'attachment; filename="devices-as-of-2026-11-02-2026-11-05.csv"')
  assert.deepEqual(
    String(file)
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').slice(1, 4).join(' ')),
    ['b-mac Mac blocked', 'A-mac Linux good'],
  )
  await app.db.deleteFrom('devices').where('id', '=', gone.id).execute()
  assert.deepEqual(await of(''), ['b-mac blocked', 'A-mac good'])
  assert.equal(
    (await browser.ask('GET', '/views/day?as_of=2026-11-02')).body.unlisted,
    1,
    'it is said how many are gone',
  )
  assert.equal((await browser.ask('GET', `/devices/${one.id}`)).status, 200)
})

test('a day that is not over, is none, or cannot be asked so is refused, before a file begins as well', async () => {
  await twoDays()
  const browser = await signedIn()
  for (const day of ['2026-11-05', '2027-01-01', '2026-02-30', '2026-13-01', '0000-01-01', '1', '2026-11-02x', '']) {
    for (const path of ['/views/devices', '/views/devices?count=true', '/views/devices?format=csv', '/views/day']) {
      assert.equal(
        (await browser.ask('GET', `${path}${path.includes('?') ? '&' : '?'}as_of=${day}`)).status,
        422,
        `${path} ${day}`,
      )
    }
  }
  for (const query of ['&within=24h', '&sort=last_seen_at', '&sort=will_block_at']) {
    const { status, body } = await browser.ask('GET', `/views/devices?as_of=2026-11-02${query}`)
    assert.deepEqual([status, body.errors.length], [422, 1], query)
  }
  assert.equal((await browser.ask('GET', '/views/devices?format=csv&as_of=2026-11-02&within=24h')).status, 422)
  const cursor = (await browser.ask('GET', '/views/devices?per_page=1')).body.pagination.next_cursor
  assert.equal((await browser.ask('GET', `/views/devices?as_of=2026-11-02&cursor=${cursor}`)).status, 400)
})
