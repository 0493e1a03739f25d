import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceTable } from '@muster/contract/reporting-tables.ts'
import { lackOfBrowser as skip } from './browser.ts'
import { keepPicture } from './keep-pictures.ts'
import { assertFitsPhone, faultsOnPhone, violations } from './look.ts'
import { page, visit, withConsole } from './signed-in.ts'

withConsole(12)

const hour = 3_600_000
const address = '**/devices/1/reporting_tables?*'
const ago = (hours: number) => new Date(Date.now() - hours * hour).toISOString()
const note = () => page.getByRole('region', { name: 'Why this table does not come' })
const tables = () => page.getByRole('navigation', { name: 'Tables' })
const open = (name: string) => visit(`/devices/1/inventory?table=${name}`)
const wholeNote = async () => (await note().textContent())?.replaceAll(/\s+/g, ' ')

const problems: Readonly<Record<string, DeviceTable['problem']>> = {
  device_users: { type: 'denied', message: 'distributed query is denylisted', since: ago(3) },
  device_routes: { type: 'missing', message: 'no such column: hopcount', since: ago(50) },
  device_uptime: { type: 'failed', message: `disk I/O error \u202e${'x'.repeat(300)}`, since: ago(1) },
}

/** What the server says of the tables of the device, with some that do not come, and one that has not yet. */
async function withProblems(): Promise<void> {
  await page.route(address, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const data = body.data.map((table: DeviceTable) => ({
      ...table,
      ...(table.name === 'device_osquery_info' && { taken_at: null }),
      problem: problems[table.name] ?? null,
    }))
    await route.fulfill({ response, json: { ...body, data } })
  })
}

/** Without the rows of any table. */
const withoutRows = () =>
  page.route('**/table_records?*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), data: [] } })
  })

test('the inventory of a device shows no sign where every table comes', { skip }, async () => {
  await open('device_os_version')
  await page.getByRole('cell').first().waitFor()
  assert.equal(await tables().locator('.table-sign').count(), 0)
  assert.equal(await note().count(), 0)
})

test('a table that does not come has a sign, and its page says why, above the rows from before', { skip }, async () => {
  await withProblems()
  await open('device_users')
  await tables()
    .getByRole('link', { name: /^device_users refused by the agent/ })
    .waitFor()
  await tables()
    .getByRole('link', { name: /^device_routes missing in the agent/ })
    .waitFor()
  assert.equal(await tables().locator('.table-sign').count(), 3)
  assert.equal(
    await wholeNote(),
    'The agent refuses this query. Since 3 h ago. It tries again within a day.distributed query is denylisted',
  )
  const cell = page.getByRole('cell').first()
  await cell.waitFor()
  const [above, below] = [await note().boundingBox(), await cell.boundingBox()]
  assert.ok(above && below && above.y + above.height <= below.y, 'the note is above the rows')
  assert.deepEqual(await violations(page), [])
  await keepPicture(page, '/devices/1/inventory/denied')
  await assertFitsPhone(page)
})

test('without rows the reason stands in their place, for each type and where nothing has come yet', {
  skip,
}, async () => {
  await withoutRows()
  for (const [name, said] of [
    ['device_routes', /^The agent does not have this table\. Since 2 d ago\. no such column: hopcount$/],
    ['device_uptime', /^The query failed on the device\. Since 1 h ago\. disk I\/O error \\u202ex+$/],
  ] as const) {
    await open(name)
    await note().waitFor()
    assert.match((await wholeNote()) ?? '', said)
    assert.equal(await page.getByText('No data from this device.').count(), 0)
    assert.deepEqual(await violations(page), [])
    await keepPicture(page, `/devices/1/inventory/${name}`)
    assert.deepEqual(await faultsOnPhone(page), [])
    await keepPicture(page, `/devices/1/inventory/${name}`, 'dark')
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  await open('device_osquery_info')
  await page.getByText('Not reported yet.').waitFor()
  assert.equal(await note().count(), 0)
  await keepPicture(page, '/devices/1/inventory/not-yet')
  await assertFitsPhone(page)
  await open('device_os_version')
  await page.getByText('No data from this device.').waitFor()
  await page.unroute('**/table_records?*')
})

test('where the reasons cannot be read, the page says so and shows the rows', { skip }, async () => {
  await page.unroute(address)
  await page.route(address, (route) => route.fulfill({ status: 500, json: { error: 'server_error', message: 'No.' } }))
  await open('device_users')
  await page.getByText('Why a table does not come could not be loaded.').waitFor()
  await page.getByRole('cell').first().waitFor()
  await page.unroute(address)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Why a table does not come could not be loaded.').waitFor({ state: 'detached' })
})
