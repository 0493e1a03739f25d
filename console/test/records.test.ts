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

const longName = 'Maximiliane-Wilhelmine von Hohenfels-Öttingen zu Wallerstein'

let opened: ConsoleInBrowser
let page: Page
let base: string

before(async () => {
  if (skip !== false) return
  opened = await openConsole(8)
  page = opened.page
  base = `${opened.trial.baseUrl}/console`
  await setUpAdmin(opened)
  const { run } = opened.trial
  await run('people', 'add', 'Ana Ruiz', 'ana.ruiz@halden.example')
  await run('people', 'add', longName, 'maximiliane@halden.example')
  await run('people', 'add', `<img src=x onerror=alert(1)>\u202e${'x'.repeat(160)}`, 'odd@halden.example')
  await run('devices', 'register', '1', 'ana.ruiz@halden.example')
  await run('groups', 'create-person-group', 'Finance', '--member', 'ana.ruiz@halden.example')
  await run('simulate', 'sign-ins', '--count', '12')
})

after(() => opened?.stop())

test('people are found by name, and a person shows devices, issues and sign-ins', { skip }, async () => {
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
  await page.getByText('<img src=x').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.keyboard.press('/')
  await page.keyboard.type('ana.ruiz@')
  await page.getByText('1 person', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Ana Ruiz' }).click()
  await page.getByRole('heading', { level: 1, name: 'Ana Ruiz' }).waitFor()
  await page.getByRole('link', { name: 'Finance' }).waitFor()
  await page.getByRole('heading', { name: 'Latest sign-ins' }).waitFor()
  await page.waitForLoadState('networkidle')
  assert.deepEqual(await violations(page), [])
  await page.goto(`${base}/people?q=nobody%20is%20called%20so&devices=lost`)
  await page.getByText('No person matches.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('Ana Ruiz').waitFor()
  await page.goto(`${base}/people/deprovisioned`)
  await page.getByText('Nobody was deprovisioned.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.goto(`${base}/people/900000000000000001`)
  await page.getByText('There is no person 900000000000000001.').waitFor()
})

test('a device group is made, filled, and left again with a way back', { skip }, async () => {
  await page.goto(`${base}/groups/devices`)
  await page.getByText('No device group yet.').waitFor()
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByRole('button', { name: 'Make the group' }).click()
  await page.getByText('A group needs a name').waitFor()
  await page.getByRole('dialog').getByLabel('Name').fill('Early adopters')
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Make the group' }).click()
  await page.getByRole('heading', { level: 1, name: 'Early adopters' }).waitFor()
  await page.getByText('No device is in this group.').waitFor()
  await page.getByRole('button', { name: 'Add devices' }).click()
  await page.getByRole('dialog').getByRole('checkbox').nth(1).check()
  await page.getByRole('dialog').getByRole('checkbox').nth(2).check()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Add 2 devices' }).click()
  await page.getByText('2 devices', { exact: true }).waitFor()
  await page
    .getByRole('button', { name: /^Take out/ })
    .first()
    .click()
  await page.getByText('1 device', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('2 devices', { exact: true }).waitFor()
  assert.deepEqual(await violations(page), [])
})

test('people join a group by hand', { skip }, async () => {
  await page.goto(`${base}/groups/people`)
  await page.getByRole('link', { name: 'Finance' }).click()
  await page.getByText('1 person', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add people' }).click()
  await page
    .getByRole('dialog')
    .getByLabel(/Search/)
    .fill('maximiliane')
  await page.getByRole('dialog').getByRole('checkbox', { name: longName }).check()
  await page.getByRole('button', { name: 'Add 1 person' }).click()
  await page.getByText('2 people', { exact: true }).waitFor()
  assert.deepEqual(await violations(page), [])
})

test('a sign-in shows its steps, and the log is narrowed in the address', { skip }, async () => {
  await page.goto(`${base}/sign-ins`)
  await page.getByText('12 sign-ins').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Result' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Failed' }).click()
  await page.waitForURL(/result=Fail/)
  await page.getByRole('button', { name: 'Remove the filter Result' }).click()
  await page.getByText('12 sign-ins').waitFor()
  await page.locator('[data-row-link]').first().click()
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  await page.getByText('sign_in_attempt').first().waitFor()
  assert.deepEqual(await violations(page), [])
  await page.goto(`${base}/sign-ins/900000000000000001`)
  await page.getByText('There is no sign-in 900000000000000001.').waitFor()
})

test('the audit log is searched, and an entry shows what proves it', { skip }, async () => {
  await page.goto(`${base}/audit?q=Early`)
  await page.getByText('Created the device group "Early adopters".').waitFor()
  assert.deepEqual(await violations(page), [])
  const { body } = await askAsPage(page, 'GET', '/views/audit_logs?search=Created%20the%20device%20group')
  await page.goto(`${base}/audit/${body.data[0].id}`)
  await page.getByText(body.data[0].hash).waitFor()
  assert.deepEqual(await violations(page), [])
})

test('these pages fit into 390 px', { skip }, async () => {
  const paths = [
    ...['/people', '/people/2', '/groups/devices', '/groups/devices/1', '/groups/people', '/groups/people/1'],
    ...['/sign-ins', '/sign-ins/1', '/audit', '/audit/1'],
  ]
  await assertFitsPhone(
    page,
    paths.map((path) => base + path),
  )
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
