import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  askAsPage,
  assertFitsPhone,
  type ConsoleInBrowser,
  openConsole,
  setUpAdmin,
  lackOfBrowser as skip,
  violations,
} from './browser.ts'

let opened: ConsoleInBrowser
let page: Page
let at: (path: string) => string

before(async () => {
  if (skip !== false) return
  opened = await openConsole(40)
  page = opened.page
  at = (path) => `${opened.trial.baseUrl}/console${path}`
  await setUpAdmin(opened)
})

after(() => opened?.stop())

const namesShown = () => page.locator('[data-row-link]').allTextContents()
const linksShown = () =>
  page.locator('[data-row-link]').evaluateAll((links) => links.map((link) => link.getAttribute('href')))

/** The rows are those of the page that was asked for. */
const settledRows = () => page.locator('.bleed:not(.old) [data-row-link]').first().waitFor()

test('devices are sorted by their heads, the order is in the address, and pages follow it', { skip }, async () => {
  await page.goto(at('/devices?per=25'))
  await page.getByText('1–25 of 40').waitFor()
  const head = (name: string) => page.getByRole('columnheader', { name, exact: true })
  assert.equal(await head('State').getAttribute('aria-sort'), 'ascending')
  await head('Device').getByRole('button').click()
  await page.waitForURL(/[?&]sort=name/)
  await settledRows()
  assert.equal(await head('Device').getAttribute('aria-sort'), 'ascending')
  assert.equal(await head('State').getAttribute('aria-sort'), null)
  const [first, firstLinks] = [await namesShown(), await linksShown()]
  assert.deepEqual(await violations(page), [])

  const fetched = page.waitForResponse((response) => /views\/devices\?.*cursor=/.test(response.url()))
  await page.getByRole('button', { name: 'Next page' }).hover()
  await fetched
  assert.equal(new URL(page.url()).searchParams.get('after'), null, 'the next page is fetched, not shown')
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('26–40 of 40').waitFor()
  await settledRows()
  const all = [...first, ...(await namesShown())]
  assert.equal(new Set([...firstLinks, ...(await linksShown())]).size, 40)
  assert.deepEqual(
    all.map((name) => name.toLowerCase()),
    all.map((name) => name.toLowerCase()).toSorted(),
  )
  await head('Last seen').getByRole('button').click()
  await page.waitForURL(/sort=-last_seen_at/)
  assert.equal(new URL(page.url()).searchParams.get('after'), null, 'another order begins at its beginning')
  await page.getByText('1–25 of 40').waitFor()
  assert.equal(await head('Last seen').getAttribute('aria-sort'), 'descending')
  await page.goto(at('/devices?sort=note'))
  await page.getByText('1–40 of 40').waitFor()
})

test('devices are found by their group', { skip }, async () => {
  const group = await askAsPage(page, 'POST', '/views/device_groups', { name: 'Finance <b>' })
  assert.equal(group.status, 200, JSON.stringify(group.body))
  const members = await askAsPage(page, 'GET', '/views/devices?per_page=3&sort=name')
  const device_ids = members.body.data.map(({ id }: { id: string }) => id)
  const added = await askAsPage(page, 'POST', `/device_groups/${group.body.id}/memberships`, { device_ids })
  assert.equal(added.status, 200, JSON.stringify(added.body))
  await page.goto(at('/devices'))
  await page.getByRole('button', { name: 'Filter by Group' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Finance <b>' }).click()
  await page.getByText('3 devices', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('group'), group.body.id)
  assert.deepEqual(await violations(page), [])
})

test('checks are sorted by the share that passes, issues by what blocks soonest', { skip }, async () => {
  await page.goto(at('/checks'))
  await page.getByRole('columnheader', { name: 'Passing' }).getByRole('button').click()
  await page.waitForURL(/sort=passing/)
  await settledRows()
  const shares = (await page.locator('.cell-passing').allTextContents()).map((text) => Number.parseFloat(text))
  const counted = shares.filter((share) => !Number.isNaN(share))
  assert.deepEqual(
    counted,
    counted.toSorted((one, other) => one - other),
  )
  assert.deepEqual(await violations(page), [])
  await page.goto(at('/issues'))
  await page.getByRole('columnheader', { name: 'State' }).getByRole('button').click()
  await page.waitForURL(/sort=blocks_at/)
  await settledRows()
  assert.deepEqual(await violations(page), [])
  await page.goto(at('/issues?state=resolved&sort=blocks_at'))
  await page
    .getByRole('columnheader', { name: 'Found' })
    .waitFor({ timeout: 5_000 })
    .catch(() => {})
  assert.equal(await page.getByText('could not be loaded').count(), 0)
})

test('the lists fit a phone in every order', { skip }, async () => {
  await assertFitsPhone(
    page,
    ['/devices?sort=-last_seen_at', '/checks?sort=-passing', '/issues?sort=blocks_at'].map(at),
  )
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
