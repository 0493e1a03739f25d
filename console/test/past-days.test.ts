import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { connectEmbedded } from '../../server/src/base/db/connect.ts'
import { embeddedFolder } from '../../server/src/open-deployment.ts'
import { recordDays } from '../../server/src/reporting/compliance-days/record-days.ts'
import { askAsPage, type ConsoleInBrowser, openConsole, setUpAdmin, lackOfBrowser as skip } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'
import { startTrial, type TrialServer } from './trial-server.ts'

let opened: ConsoleInBrowser
let page: Page
let trial: TrialServer
let dataDir: string

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const dayAgo = (days: number) => daysAgo(days).slice(0, 10)

before(async () => {
  if (skip !== false) return
  dataDir = await mkdtemp(join(tmpdir(), 'muster-past-'))
  opened = await openConsole(12, { kept: { dataDir, failRate: 0 } })
  page = opened.page
  await setUpAdmin(opened)
  await opened.trial.stop()
  await liveThroughDays()
  // One device stays deleted and not purged, however long the tests take.
  const settings = async () => ({ MUSTER_DEVICE_DELETION_DELAY_SECONDS: '86400' })
  trial = await startTrial(0, { kept: { dataDir }, settings })
})

after(async () => {
  await opened?.close()
  await trial?.stop()
  if (dataDir) await rm(dataDir, { recursive: true, force: true })
})

/** Three days ago five devices had a problem; one of them is gone for good since, another can still be restored. */
async function liveThroughDays(): Promise<void> {
  const connection = await connectEmbedded({ dataDir: embeddedFolder(dataDir) })
  const { db, executeScript } = connection
  const pick = (from: number, count: number) =>
    `id in (select id from devices order by id offset ${from} limit ${count})`
  try {
    await executeScript(`update devices set auth_state = 'good';
      update devices set name = 'blocked-then' where ${pick(0, 1)}; update devices set name = 'deleted-since' where ${pick(1, 1)};
      update devices set auth_state = 'blocked' where ${pick(0, 3)};
      update devices set auth_state = 'notified' where ${pick(3, 2)}`)
    await recordDays(db, daysAgo(3))
    await executeScript(`update devices set auth_state = 'good'`)
    await recordDays(db, daysAgo(2))
    await executeScript(`delete from devices where ${pick(2, 1)};
      update devices set deleted_at = now() where ${pick(1, 1)}`)
    await recordDays(db, daysAgo(1))
  } finally {
    await connection.close()
  }
}

const names = () => page.locator('[data-row-link]').allTextContents()

test('a day of the chart leads, by the keyboard alone, to its devices as they stood then', { skip }, async () => {
  await page.goto(`${trial.baseUrl}/console/`)
  const day = page.getByRole('slider', { name: 'Day' })
  await day.focus()
  for (const _step of [1, 2, 3]) await page.keyboard.press('ArrowLeft')
  assert.match(
    (await day.getAttribute('aria-valuetext')) ?? '',
    /: 3 blocked, 0 will block, 2 notified, 5 together, 7 good/,
  )
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/devices\?/)
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), { view: 'attention', as_of: dayAgo(3) })
  await page.getByText('1 more device was counted that day and cannot be listed').waitFor()
  assert.equal((await names()).length, 4)
  await page.locator('tr', { hasText: 'deleted-since' }).getByText('deleted since', { exact: true }).waitFor()
  assert.equal(await page.locator('tr', { hasText: 'blocked-then' }).locator('.cell-state').textContent(), 'Blocked')
  const heads = await page.locator('thead th').allTextContents()
  assert.deepEqual(heads, ['Device', 'State', 'Owner', 'System', 'Serial'])
  assert.equal(await page.getByRole('checkbox').count(), 0, 'nothing is done with several devices of a past day')
  assert.deepEqual(await violations(page), [])
})

test('its devices are searched, filtered, sorted and counted, and today is one step away', { skip }, async () => {
  await page.getByRole('button', { name: /^All devices/ }).click()
  await page.getByText('11 devices', { exact: true }).waitFor()
  assert.match(
    (await page.getByRole('button', { name: /^All devices/ }).textContent()) ?? '',
    /12$/,
    'as the chart counted them',
  )
  await page.getByPlaceholder('Name, owner, serial or note').fill('blocked-th')
  await page.waitForFunction(() => document.querySelectorAll('[data-row-link]').length === 1)
  assert.deepEqual(await names(), ['blocked-then'])
  await page.getByRole('link', { name: 'Show today' }).click()
  await page.locator('tr', { hasText: 'blocked-then' }).getByText('Good').waitFor()
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), { q: 'blocked-th' })
  await page.goBack()
  await page.locator('tr', { hasText: 'blocked-then' }).getByText('Blocked', { exact: true }).waitFor()
  await page.getByPlaceholder('Name, owner, serial or note').fill('')
  await page.getByText('11 devices', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Device', exact: true }).click()
  await page.waitForURL(/sort=name/)
  // The rows of the order before stay until those of the new one are there.
  await page.waitForFunction(() => {
    const shown = [...document.querySelectorAll('[data-row-link]')].map((link) => link.textContent.toLowerCase())
    return shown.length === 11 && shown.every((name, index) => index === 0 || (shown[index - 1] ?? '') < name)
  })
  await page.getByRole('button', { name: 'Export CSV' }).click()
  await page.getByText(/The file contains 11 devices\. It is as of /).waitFor()
  const downloading = page.waitForEvent('download')
  await page
    .getByRole('button', { name: 'Export 11 devices' })
    .or(page.getByRole('link', { name: 'Export 11 devices' }))
    .click()
  assert.match((await downloading).suggestedFilename(), new RegExp(`^devices-as-of-${dayAgo(3)}-`))
})

test('a day that was not counted, and one that is none, are told apart from an empty one', { skip }, async () => {
  await page.goto(`${trial.baseUrl}/console/devices?as_of=${dayAgo(9)}`)
  await page.getByText('the devices were not counted that day').waitFor()
  await page.getByText('No devices match.').waitFor()
  for (const day of ['2026-02-31', 'tomorrow', dayAgo(0), dayAgo(-1)]) {
    await page.goto(`${trial.baseUrl}/console/devices?as_of=${day}`)
    await page.locator('[data-row-link]').first().waitFor()
    assert.equal(await page.getByText('Show today').count(), 0, day)
  }
  const { status } = await askAsPage(page, 'GET', `/views/devices?as_of=${dayAgo(0)}`)
  assert.equal(status, 422, 'today is not over')
})

test('the chart as a table leads there too, and the list of a day fits a phone', { skip }, async () => {
  await page.goto(`${trial.baseUrl}/console/`)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.locator('.days-table tbody tr').nth(3).getByRole('link').first().click()
  await page.waitForURL(new RegExp(`as_of=${dayAgo(3)}$`))
  await page.getByText('11 devices', { exact: true }).waitFor()
  await assertFitsPhone(page)
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened.faults, [])
})
