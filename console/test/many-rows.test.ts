import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../server/test/support/muster-process.ts'
import {
  askAsPage,
  type ConsoleInBrowser,
  deadlineMs,
  openConsole,
  setUpAdmin,
  lackOfBrowser as skip,
  untilDrawn,
} from './browser.ts'
import { violations } from './look.ts'
import { answerWithRows } from './many-rows.ts'
import { startTrial, type TrialServer } from './trial-server.ts'

const [answered, checked] = [1_500, 500]
/** Of which those in sight, and some beyond, are in the page. */
const maxDrawn = 100

let opened: ConsoleInBrowser
let page: Page
let trial: TrialServer
let dataDir: string
let queryId: string

before(async () => {
  if (skip !== false) return
  dataDir = await mkdtemp(join(tmpdir(), 'muster-rows-'))
  opened = await openConsole(2, { kept: { dataDir, failRate: 1 } })
  page = opened.page
  trial = opened.trial
  await setUpAdmin(opened)
  const { body: devices } = await askAsPage(page, 'GET', '/views/devices?per_page=1')
  const asked = { name: 'Tools', sql: 'select pid, path from processes', targeted_device_ids: [devices.data[0].id] }
  const made = await askAsPage(page, 'POST', '/live_query_campaigns', asked)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  queryId = made.body.id
  await trial.stop()
  await answerWithRows(dataDir, queryId, answered, checked)
  trial = await startTrial(0, { kept: { dataDir } })
})

after(async () => {
  await opened?.close()
  await trial?.stop()
  if (dataDir) await rm(dataDir, { recursive: true, force: true })
})

const drawn = () => page.locator('.windowed tbody tr[aria-rowindex]')
const indexes = () => drawn().evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-rowindex'))))
/** A page draws its rows again when it has scrolled: in the next frame. */
const untilFirst = (index: number) => until(deadlineMs, async () => (await indexes())[0] === index)

/** Rows say which of all they are, one after the other, and no more are drawn than can be seen. */
async function assertWindow(last: number): Promise<void> {
  const found = await indexes()
  assert.ok(found.length > 10 && found.length < maxDrawn, `${found.length} rows are drawn`)
  assert.equal(found.at(-1), last)
  assert.deepEqual(
    found,
    found.map((_, place) => (found[0] ?? 0) + place),
  )
}

test('1,500 rows of a live query are drawn where they are seen, from the first to the last', { skip }, async () => {
  await page.goto(`${trial.baseUrl}/console/live-queries/${queryId}`)
  await page.getByText('1,000 rows.').waitFor()
  await page.getByRole('button', { name: /^Show all 1,500 rows of / }).click()
  await page.getByText('1,500 rows.').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Show all/ }).count(), 0)
  await page.evaluate(() => scrollTo(0, 0))
  const table = page.locator('table.windowed')
  assert.equal(await table.getAttribute('aria-rowcount'), String(answered + 1))
  assert.equal(await table.locator('thead tr').getAttribute('aria-rowindex'), '1')
  await untilFirst(2)
  assert.ok((await drawn().count()) < maxDrawn)
  assert.deepEqual(await violations(page), [])
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await page.getByText(`/usr/bin/tool-${answered}`, { exact: true }).waitFor()
  await untilDrawn(page)
  await assertWindow(answered + 1)
  assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), height, 'the page keeps its height')
  assert.deepEqual(await violations(page), [])
})

test('the keyboard continues through rows that were not drawn, and keeps the focus out of sight', {
  skip,
}, async () => {
  await page.evaluate(() => scrollTo(0, 0))
  await untilFirst(2)
  await drawn().first().getByRole('link').focus()
  for (let step = 0; step < 150; step += 1) await page.keyboard.press('Tab')
  const focused = () => page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('aria-rowindex'))
  assert.equal(await focused(), '152')
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await page.getByText(`/usr/bin/tool-${answered}`, { exact: true }).waitFor()
  assert.equal(await focused(), '152', 'the row with the focus stays, wherever someone looks')
  assert.ok((await drawn().count()) < maxDrawn)
  await page.keyboard.press('Tab')
  await until(deadlineMs, async () => (await focused()) !== '152')
})

test('all rows of a check stand on the page of the device', { skip }, async () => {
  const { body } = await askAsPage(page, 'GET', '/views/devices?per_page=100&sort=name')
  for (const { id } of body.data as { id: string }[]) {
    const results = await askAsPage(page, 'GET', `/devices/${id}/check_results?per_page=100`)
    const found = (results.body.data as { check_name: string; check_result_data: unknown[] }[]).find(
      ({ check_result_data: rows }) => rows.length === checked,
    )
    if (!found) continue
    await page.goto(`${trial.baseUrl}/console/devices/${id}/checks`)
    await page.locator('summary').first().waitFor()
    await page.locator('details').evaluateAll((all) => {
      for (const one of all) (one as HTMLDetailsElement).open = true
    })
    await page.getByText(`${checked} rows, ${checked} failing.`).waitFor()
    const table = page.locator(`table.windowed[aria-rowcount="${checked + 1}"]`)
    await table.locator('tbody tr[aria-rowindex]').first().waitFor()
    await untilDrawn(page)
    assert.ok((await table.locator('tbody tr[aria-rowindex]').count()) < maxDrawn)
    await table.locator('tbody').evaluate((rows) => rows.lastElementChild?.scrollIntoView({ block: 'end' }))
    await table.locator(`tr[aria-rowindex="${checked + 1}"]`).waitFor()
    assert.ok((await table.locator('tbody tr[aria-rowindex]').count()) < maxDrawn)
    return
  }
  assert.fail('No device has the rows')
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
