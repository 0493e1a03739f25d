import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, type Browser, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { plusMs } from '../../base/time.ts'

const app = testApp()
const make = makeIn(app)
const hours = (count: number) => plusMs(app.now(), count * 3_600_000)

beforeEach(() => app.reset())

async function signedIn(): Promise<Browser> {
  const admin = await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

/** All rows, two at a time. */
async function walk(browser: Browser, path: string): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  let cursor = ''
  for (let page = 0; page < 20; page += 1) {
    const { status, body } = await browser.ask('GET', `${path}per_page=2${cursor && `&cursor=${cursor}`}`)
    assert.equal(status, 200, JSON.stringify(body))
    rows.push(...body.data)
    cursor = body.pagination.next_cursor
    if (cursor === '') return rows
  }
  throw new Error(`${path} does not end`)
}

test('devices are listed in every order, both ways, page after page; what has no value comes last', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const add = async (name: string, blocksIn: number | undefined, seenAgo: number | undefined) => {
    const { id } = await make.device(organizationId, { name, registered_owner_id: owner.id, registered_at: app.now() })
    if (blocksIn !== undefined) {
      const state = { auth_state: 'will_block', will_block_at: hours(blocksIn) } as const
      await app.db.updateTable('devices').set(state).where('id', '=', id).execute()
    }
    if (seenAgo === undefined) return
    const presence = { organization_id: organizationId, device_id: id, last_seen_at: hours(-seenAgo) }
    await app.db.insertInto('device_presence').values(presence).execute()
  }
  await add('delta', 5, 3)
  await add('Bravo', undefined, 1)
  await add('alfa', 2, undefined)
  await add('charlie', undefined, undefined)
  await add('alfa', 5, 1)
  const browser = await signedIn()
  const order = async (sort: string) =>
    (await walk(browser, `/views/devices?sort=${sort}&`)).map(({ name, id }) => `${name} ${id}`)
  assert.deepEqual(await order('name'), ['alfa 3', 'alfa 5', 'Bravo 2', 'charlie 4', 'delta 1'])
  assert.deepEqual(await order('-name'), (await order('name')).reverse())
  assert.deepEqual(await order('will_block_at'), ['alfa 3', 'delta 1', 'alfa 5', 'Bravo 2', 'charlie 4'])
  assert.deepEqual(await order('-will_block_at'), ['alfa 5', 'delta 1', 'alfa 3', 'charlie 4', 'Bravo 2'])
  assert.deepEqual(await order('last_seen_at'), ['delta 1', 'Bravo 2', 'alfa 5', 'alfa 3', 'charlie 4'])
  assert.deepEqual(await order('-last_seen_at'), ['alfa 5', 'Bravo 2', 'delta 1', 'charlie 4', 'alfa 3'])

  const byName = await browser.ask('GET', '/views/devices?sort=name&per_page=2')
  const cursor = byName.body.pagination.next_cursor
  const mixed = await browser.ask('GET', `/views/devices?sort=last_seen_at&cursor=${cursor}`)
  assert.deepEqual([mixed.status, mixed.body.error], [400, 'bad_cursor'])
  assert.match(byName.body.pagination.next, /&sort=name$/)
  assert.equal((await browser.ask('GET', '/views/devices?sort=note')).status, 422)
})

test('names have one order whatever the locale of the database: devices without regard to case, checks by code points', async () => {
  const names = ['zulu', 'Ärmel', 'alfa', 'Zebra', 'ärmel', 'Alfa']
  for (const name of names) {
    await make.device(app.tenant.organizationId, { name })
    await make.check(app.tenant.organizationId, { name })
  }
  const browser = await signedIn()
  const namesIn = async (path: string) => (await walk(browser, path)).map(({ name }) => name)
  const devices = ['alfa', 'Alfa', 'Zebra', 'zulu', 'Ärmel', 'ärmel']
  assert.deepEqual(await namesIn('/views/devices?sort=name&'), devices)
  assert.deepEqual(await namesIn('/views/devices?sort=-name&'), devices.toReversed())
  assert.deepEqual(await namesIn('/views/checks?'), ['Alfa', 'Zebra', 'alfa', 'zulu', 'Ärmel', 'ärmel'])
})

test('checks are listed by the share that passes, those that are counted nowhere last', async () => {
  const { organizationId } = app.tenant
  const devices = [await make.device(organizationId), await make.device(organizationId)]
  const statuses = { half: ['PASS', 'FAIL'], all: ['PASS', 'PASS'], none: ['FAIL', 'FAIL'], unheard: [] } as const
  for (const [name, found] of Object.entries(statuses)) {
    const platforms = [name === 'unheard' ? 'windows' : 'darwin']
    const check = await make.check(organizationId, { name, platforms })
    for (const [index, rows] of found.entries()) {
      const device = devices[index]
      assert.ok(device)
      await make.result({ device, check, rows, at: app.now() })
    }
  }
  const browser = await signedIn()
  const order = async (query: string) => (await walk(browser, `/views/checks?${query}`)).map(({ name }) => name)
  assert.deepEqual(await order(''), ['all', 'half', 'none', 'unheard'])
  assert.deepEqual(await order('sort=-name&'), ['unheard', 'none', 'half', 'all'])
  assert.deepEqual(await order('sort=passing&'), ['none', 'half', 'all', 'unheard'])
  assert.deepEqual(await order('sort=-passing&'), ['all', 'half', 'none', 'unheard'])
})

test('issues are listed oldest first, or what blocks soonest first, which is for open ones', async () => {
  const { organizationId } = app.tenant
  const device = await make.device(organizationId)
  for (const [title, foundAgo, blocksIn] of [
    ['later', 3, 9],
    ['never', 2, null],
    ['soon', 1, 4],
  ] as const) {
    const check = await make.check(organizationId, { configuration: { remediation_strategy: 'warn_then_block' } })
    const { id } = await make.issue({ device, check, at: hours(-foundAgo) })
    const blocks_device_at = blocksIn === null ? null : hours(blocksIn)
    await app.db.updateTable('issues').set({ title, blocks_device_at }).where('id', '=', id).execute()
  }
  const browser = await signedIn()
  const order = async (query: string) => (await walk(browser, `/views/issues?${query}`)).map(({ title }) => title)
  assert.deepEqual(await order(''), ['soon', 'never', 'later'])
  assert.deepEqual(await order('sort=detected_at&'), ['later', 'never', 'soon'])
  assert.deepEqual(await order('sort=blocks_at&'), ['soon', 'later', 'never'])
  assert.deepEqual(await order('sort=blocks_at&state=will_block&'), ['soon', 'later'])
  const refused = await browser.ask('GET', '/views/issues?sort=blocks_at&state=resolved')
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [422, [{ field: 'sort', message: 'by deadline is for open issues' }]],
  )
})
