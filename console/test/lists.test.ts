import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAsPage, lackOfBrowser as skip, untilIdle } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'
import { opened, page, visit, withConsole } from './signed-in.ts'

withConsole(40)

const namesShown = () => page.locator('[data-row-link]').allTextContents()
const linksShown = () =>
  page.locator('[data-row-link]').evaluateAll((links) => links.map((link) => link.getAttribute('href')))

/** The rows are those of the page that was asked for. */
const settledRows = () => page.locator('.bleed:not(.old) [data-row-link]').first().waitFor()

test('devices are sorted by their heads, the order is in the address, and pages follow it', { skip }, async () => {
  await visit('/devices?per=25')
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
  await visit('/devices?sort=note')
  await page.getByText('1–40 of 40').waitFor()
})

test('devices are found by their group', { skip }, async () => {
  const group = await askAsPage(page, 'POST', '/device_groups', { name: 'Finance <b>' })
  assert.equal(group.status, 200, JSON.stringify(group.body))
  const members = await askAsPage(page, 'GET', '/views/devices?per_page=3&sort=name')
  const device_ids = members.body.data.map(({ id }: { id: string }) => id)
  const added = await askAsPage(page, 'POST', `/device_groups/${group.body.id}/memberships`, { device_ids })
  assert.equal(added.status, 200, JSON.stringify(added.body))
  await visit('/devices')
  await page.getByRole('button', { name: 'Filter by Group' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Finance <b>' }).click()
  await page.getByText('3 devices', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('group'), group.body.id)
})

test('checks are sorted by the share that passes, issues by what blocks soonest', { skip }, async () => {
  await visit('/checks')
  await page.getByRole('columnheader', { name: 'Passing' }).getByRole('button').click()
  await page.waitForURL(/sort=passing/)
  await settledRows()
  const shares = (await page.locator('.cell-passing').allTextContents()).map((text) => Number.parseFloat(text))
  const counted = shares.filter((share) => !Number.isNaN(share))
  assert.deepEqual(
    counted,
    counted.toSorted((one, other) => one - other),
  )
  await visit('/issues')
  await page.getByRole('columnheader', { name: 'State' }).getByRole('button').click()
  await page.waitForURL(/sort=blocks_at/)
  await settledRows()
  await visit('/issues?state=resolved&sort=blocks_at')
  await page.getByText('No issues match.').waitFor()
  assert.equal(await page.getByText('could not be loaded').count(), 0)
})

test('columns are hidden and moved, and the choice follows the person', { skip }, async () => {
  await visit('/devices')
  const heads = async () => (await page.getByRole('columnheader').allTextContents()).slice(1, -1)
  await page.getByText('1–40 of 40').waitFor()
  assert.deepEqual(await heads(), ['Device', 'State', 'Blocks', 'Owner', 'System', 'Serial', 'Issues', 'Last seen'])
  await page.getByRole('button', { name: 'Columns' }).click()
  const chosen = ['Device', 'State', 'Owner', 'Blocks', 'System', 'Issues', 'Last seen']
  const asked: { device_columns: string[] }[] = []
  let answerFirst = () => {}
  const held = new Promise<void>((resolve) => {
    answerFirst = resolve
  })
  await page.route('**/session/preferences', async (route) => {
    asked.push(route.request().postDataJSON())
    if (asked.length === 1) await held
    await route.continue()
  })
  await page.getByRole('checkbox', { name: 'Serial', checked: true }).click()
  await page.getByRole('checkbox', { name: 'Serial', checked: false }).waitFor()
  await page.getByRole('button', { name: 'Move Owner forward' }).click()
  await page.getByRole('columnheader').nth(3).filter({ hasText: 'Owner' }).waitFor()
  assert.deepEqual(await heads(), chosen, 'shown before either is kept')
  assert.equal(asked.length, 1, 'the second choice waits for the first one')
  const kept = page.waitForResponse(
    (response) =>
      response.url().endsWith('/session/preferences') &&
      response.request().postDataJSON().device_columns[1] === 'owner',
  )
  answerFirst()
  assert.equal((await kept).status(), 200)
  await page.unroute('**/session/preferences')
  assert.deepEqual(await violations(page), [])
  assert.deepEqual(await heads(), chosen)
  await page.keyboard.press('Escape')
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await page.getByText('1–40 of 40').waitFor()
  assert.deepEqual(await heads(), chosen)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'As they come' }).click()
  await page.getByRole('columnheader', { name: 'Serial' }).waitFor()
  await page.keyboard.press('Escape')
})

test('all that the filter finds is selected, and works through in steps', { skip }, async () => {
  await visit('/devices?per=25&sort=name')
  await page.getByText('1–25 of 40').waitFor()
  const box = (place: number) => page.locator('tbody input[type=checkbox]').nth(place)
  await box(1).click()
  await box(4).click({ modifiers: ['Shift'] })
  await page.getByText('4 selected', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Select all 40' }).click()
  await page.getByText('All 40 that match the filter are selected').waitFor()
  await box(2).click()
  await page.getByText('39 selected', { exact: true }).waitFor()
  assert.deepEqual(await violations(page), [])
  const bodies: number[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/check_refreshes')) bodies.push(request.postDataJSON().device_ids.length)
  })
  await page.getByRole('button', { name: 'Refresh failing checks' }).click()
  await page.getByText(/checks run again on \d+ devices/).waitFor()
  assert.deepEqual(bodies, [39])
  await page.getByText('39 selected').waitFor({ state: 'detached' })
})

test('devices are found by who may sign in with them', { skip }, async () => {
  const { body } = await askAsPage(page, 'GET', '/views/devices?owner=registered&sort=name&per_page=1')
  const [{ id, name }] = body.data
  const mode = { authentication_mode: 'anyone', person_group_ids: [] }
  assert.equal((await askAsPage(page, 'PATCH', `/devices/${id}/authentication_mode`, mode)).status, 200)
  await visit('/devices')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByText('Anyone', { exact: true }).click()
  await page.getByText('1–1 of 1').waitFor()
  assert.deepEqual(await namesShown(), [name])
  assert.match(page.url(), /[?&]mode=anyone/)
  await visit('/devices?mode=only_registered_owner_or_group_members')
  await page.getByText('who may sign in is registered owner and groups').waitFor()
})

test('what the API can say exactly is copied as its query', { skip }, async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visit('/devices?q=a&platform=Mac')
  await page.getByRole('button', { name: 'Remove the filter Platform' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Copy as API query' }).count(), 0)
  await visit('/devices?platform=Mac,Linux&owner=none')
  await page.getByRole('button', { name: 'Copy as API query' }).click()
  await page.getByText('The address of the API query copied').waitFor()
  const copied = new URL(await page.evaluate(() => navigator.clipboard.readText()))
  const found = await askAsPage(page, 'GET', `${copied.pathname}${copied.search}&per_page=100`)
  const counted = await askAsPage(page, 'GET', '/views/devices?count=true&platform=Mac,Linux&owner=none')
  assert.deepEqual([found.status, found.body.pagination.count], [200, counted.body.count])
})

test('values change in place; a row that would move waits until it is asked for', { skip }, async () => {
  await visit('/devices?sort=name')
  await page.getByText('1–40 of 40').waitFor()
  await untilIdle(page)
  const before = await linksShown()
  const [first = ''] = before
  const id = first?.split('/').at(-1)
  const name = (await namesShown())[0] ?? ''
  const renamed = await askAsPage(page, 'PATCH', `/devices/${id}`, { name: 'zz-renamed' })
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
  await page.getByText('1 change ·').waitFor({ timeout: 120_000 })
  assert.deepEqual(await linksShown(), before, 'no row has moved')
  assert.equal((await namesShown())[0], 'zz-renamed', 'its name has changed in place')
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  assert.equal((await linksShown()).at(-1), first)
  assert.equal(await page.getByText('1 change ·').count(), 0)
  await askAsPage(page, 'PATCH', `/devices/${id}`, { name })
})

test('the keyboard filters, selects, opens, copies and submits, and its list says what works here', {
  skip,
}, async () => {
  await visit('/devices?sort=name')
  await page.getByText('1–40 of 40').waitFor()
  await page.keyboard.press('f')
  await page.getByRole('menuitemcheckbox', { name: 'Blocked', exact: true }).waitFor()
  await page.keyboard.press('f')
  await page.getByRole('menuitemcheckbox', { name: 'Windows' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menuitemcheckbox').first().waitFor({ state: 'detached' })
  await page.locator('[data-row-link]').first().focus()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('1 selected', { exact: true }).waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Select the row').waitFor()
  await dialog.getByText('Run failing checks again').waitFor()
  assert.equal(await dialog.getByText('Copy the ID').count(), 0, 'the list is about no record')
  assert.deepEqual(await violations(page), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.getByText('1 selected', { exact: true }).waitFor({ state: 'detached' })

  await page.locator('tbody tr').nth(3).locator('.cell-system').click()
  await page.getByRole('heading', { name: 'Check results' }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1)
  await page.keyboard.press('c')
  await page.getByText(`The identifier ${id} copied`).waitFor()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), id)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Note').fill('Kept in the lab')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const saved = await askAsPage(page, 'GET', `/devices/${id}`)
  assert.equal(saved.body.note, 'Kept in the lab')
})

test('single keys are switched off for the person, not the browser', { skip }, async () => {
  await visit('/account/preferences')
  const kept = page.waitForResponse((response) => response.url().endsWith('/session/preferences'))
  await page.getByRole('checkbox', { name: /Single-key shortcuts/, checked: true }).click()
  assert.equal((await kept).status(), 200)
  await page.evaluate(() => localStorage.clear())
  await visit('/devices')
  await page.getByText('1–40 of 40').waitFor()
  await page.keyboard.press('f')
  await page.keyboard.press('?')
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('menuitemcheckbox').count(), 0)
  await visit('/account/preferences')
  await page.getByRole('checkbox', { name: /Single-key shortcuts/, checked: false }).click()
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Everywhere').waitFor()
})

test('the lists fit a phone in every order', { skip }, async () => {
  for (const path of ['/devices?sort=-last_seen_at', '/checks?sort=-passing', '/issues?sort=blocks_at']) {
    await visit(path)
    await settledRows()
    await assertFitsPhone(page)
  }
})

test('on a phone the order is chosen above the rows, and rows are selected by touching them', { skip }, async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await visit('/devices')
  await settledRows()
  await page.getByLabel('Sort').selectOption({ label: 'Name, backwards' })
  await page.waitForURL(/sort=-name/)
  await settledRows()
  const names = (await namesShown()).map((name) => name.toLowerCase())
  assert.deepEqual(names, names.toSorted().toReversed())
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const place of [0, 2]) await page.locator('tbody tr').nth(place).locator('.cell-name a').click()
  await page.getByText('2 selected', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/console/devices', 'no device was opened')
  assert.deepEqual(await violations(page), [])
  await page.mouse.move(200, 600)
  await page.mouse.wheel(0, 900)
  await page.waitForFunction(() => scrollY > 500)
  const { top, width, right } = await page.locator('.bulk').evaluate((one) => one.getBoundingClientRect().toJSON())
  assert.deepEqual([top, width], [0, 390], 'what is selected stays in sight')
  assert.ok(right <= 390)
  const small = await page
    .locator('.bulk button, .select-rows, .sort-choice select')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height).filter((height) => height < 24))
  assert.deepEqual(small, [])
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.evaluate(() => scrollTo(0, 0))
  await page.getByRole('button', { name: 'Done selecting' }).click()
  await page.locator('tbody tr').first().locator('.cell-name a').click()
  await page.getByRole('heading', { name: 'Check results' }).waitFor()
  await visit('/checks')
  await page.getByLabel('Sort').selectOption({ label: 'Passing least' })
  await page.waitForURL(/sort=passing/)
  await visit('/issues')
  await page.getByLabel('Sort').selectOption({ label: 'Blocks soonest' })
  await page.waitForURL(/sort=blocks_at/)
  assert.deepEqual(await violations(page), [])
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
