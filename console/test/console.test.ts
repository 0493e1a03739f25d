import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  askAsPage,
  type ConsoleInBrowser,
  keepToasts,
  openConsole,
  adminPassword as password,
  lackOfBrowser as skip,
  untilDrawn,
  untilIdle,
} from './browser.ts'
import { violations } from './look.ts'
import type { TrialServer } from './trial-server.ts'
import { visitAddress } from './visit-address.ts'

const budgetBytes = 300_000

let opened: ConsoleInBrowser
let trial: TrialServer
let page: Page

before(async () => {
  if (skip !== false) return
  opened = await openConsole(30)
  trial = opened.trial
  page = opened.page
})

after(() => opened?.stop())

test('the link of the first start makes an administrator, whose dashboard is light to load', { skip }, async () => {
  await page.goto(trial.setupLink)
  await page.getByLabel('First name').fill('Mira')
  await page.getByLabel('E-mail').fill('mira@halden.example')
  await page.locator('input[name=password]').fill('short')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByText('must have at least 12 characters').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Add a second factor' }).waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('link', { name: 'Later' }).click()
  await page.getByRole('heading', { level: 1, name: 'Nothing blocks: all 31 checks only report.' }).waitFor()
  assert.equal(new URL(page.url()).hash, '', 'the token is gone from the address')

  let bytes = 0
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  const scripts = new Set<string>()
  client.on('Network.responseReceived', ({ requestId, response }) => {
    if (/javascript/.test(response.mimeType)) scripts.add(requestId)
  })
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength
  })
  await page.reload()
  await page.getByText('30 enrolled').waitFor()
  await untilIdle(page)
  await client.detach()
  assert.ok(bytes > 50_000 && bytes < budgetBytes, `${bytes} bytes of JavaScript`)
})

test('the dashboard waits for the first steps, so that nothing below them moves under the pointer', {
  skip,
}, async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/views/first_steps*', async (route) => {
    await held
    await route.continue()
  })
  const figures = page.waitForResponse('**/views/summary*')
  await page.reload()
  await (await figures).finished()
  await untilDrawn(page)
  const begins = page.getByText('The chart begins tomorrow: it shows how many devices have a problem each day.')
  assert.equal(await begins.count(), 0)
  release()
  await begins.waitFor()
  assert.equal(await page.getByRole('slider', { name: 'Day' }).count(), 0, 'no chart of one day')
  assert.equal(await page.getByRole('region', { name: 'Get started' }).count(), 1)
  await page.unroute('**/views/first_steps*')
})

test('the dashboard names who registered many devices within an hour, and leads to the person', { skip }, async () => {
  const notice = page
    .getByRole('status')
    .filter({ hasText: /registered 30 devices within an hour, the last one .* ago/ })
  const person = notice.getByRole('link')
  const name = (await person.textContent()) ?? ''
  await person.click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.goBack()
  await notice.waitFor()
})

test('the chart marks the days on which checks were changed, by arrow keys and in the table as well', {
  skip,
}, async () => {
  const { body } = await askAsPage(page, 'GET', '/checks?per_page=2')
  const [first, second] = body.data as { id: string; name: string }[]
  for (const [check, days] of [[first, 3] as const, [second, 8] as const, [second, 9] as const]) {
    const path = `/checks/${check?.id}/configurations`
    assert.equal((await askAsPage(page, 'PATCH', path, { block_auth_grace_period_days: days })).status, 200)
  }
  // As it stands two days later, with devices that have a problem.
  await page.route('**/console/api/views/summary*', async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
    await route.fulfill({ response, json: { ...json, days: [{ day, ...json.standings, notified: 3 }] } })
  })
  await page.reload()
  const said = `Updated the configuration of the check "${first?.name}": grace period changed from 7 to 3 days.`
  const steps = page.getByRole('region', { name: 'Get started' })
  await steps.getByText('1 of 5 done').waitFor()
  await steps.getByText('31 checks only report so far.').waitFor()
  await steps.getByRole('link', { name: 'Choose what blocks' }).waitFor()
  await steps.getByRole('link', { name: 'Connect your sign-in' }).waitFor()
  await page.getByText(said).waitFor()
  await page.getByText(/^and \d+ more$/).waitFor()
  await page.getByRole('link', { name: 'These devices' }).waitFor()
  assert.deepEqual(await violations(page), [])
  const day = page.getByRole('slider', { name: 'Day' })
  assert.match((await day.getAttribute('aria-valuetext')) ?? '', /0 notified, \d+ good; \d+ changes of checks$/)
  await day.focus()
  await page.keyboard.press('ArrowLeft')
  assert.doesNotMatch((await day.getAttribute('aria-valuetext')) ?? '', /of checks/)
  await page.getByText(said).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'These devices' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.locator('.days-table').getByText(said).waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Show as chart' }).click()
  await steps.getByRole('button', { name: 'Hide' }).click()
  await page.reload()
  await page.getByRole('slider', { name: 'Day' }).waitFor()
  assert.equal(await steps.count(), 0)
  await page.goto(`${trial.baseUrl}/console/nothing/here`)
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  await page.locator('.side').getByText('Devices').waitFor()
  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await page.getByRole('slider', { name: 'Day' }).waitFor()
  await page.unroute('**/console/api/views/summary*')
})

test('devices are found by the keyboard, and the filter stays in the address', { skip }, async () => {
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
  await page.getByText('1–30 of 30').waitFor()
  assert.deepEqual(await violations(page), [])
  // People give two laptops the same name.
  const names = await page.locator('[data-row-link]').allTextContents()
  const name = names.find((one) => names.filter((other) => other.includes(one)).length === 1) ?? ''
  await page.keyboard.press('/')
  await page.keyboard.type(name)
  await page.getByText('1 device', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('q'), name)
  await page.reload()
  await page.getByText('1 device', { exact: true }).waitFor()
  await visitAddress(page, `${trial.baseUrl}/console/devices?state=blocked,lost&per=7&q=nobody%20has%20this`)
  await page.getByText('No devices match.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('1–30 of 30').waitFor()
})

test('filters are kept under a name, and a deleted view comes back', { skip }, async () => {
  await visitAddress(page, `${trial.baseUrl}/console/devices?platform=Mac&q=a`)
  // What is clicked while the list comes may move away from under the pointer.
  await page.locator('[data-row-link]').first().waitFor()
  await page.getByRole('button', { name: 'Save view…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Macs with an a')
  await page.getByLabel('Share with everyone in the console').check()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Save view', exact: true }).click()
  await page.getByText('View “Macs with an a” saved').waitFor()
  await visitAddress(page, `${trial.baseUrl}/console/devices`)
  await page.getByRole('button', { name: 'Macs with an a' }).click()
  await page.waitForURL(/platform=Mac&q=a/)
  await keepToasts(page)
  await page.getByRole('button', { name: 'Delete view' }).click()
  await page.getByRole('button', { name: 'Macs with an a' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Macs with an a', pressed: true }).waitFor()
  await visitAddress(page, `${trial.baseUrl}/console/issues`)
  await page.getByRole('heading', { level: 1, name: 'Issues' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save view…' }).count(), 0)
  await visitAddress(page, `${trial.baseUrl}/console/issues?q=off`)
  await page.getByRole('button', { name: 'Save view…' }).waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('link', { name: 'All', exact: true }).click()
  await page.waitForURL((url) => url.pathname.endsWith('/issues') && url.search === '')
  await visitAddress(page, `${trial.baseUrl}/console/devices`)
  await page.getByText('1–30 of 30').waitFor()
})

test('a record is found from everywhere by its name, and a page as well', { skip }, async () => {
  const name = (await page.locator('[data-row-link]').first().textContent()) ?? ''
  await page.keyboard.press('Control+k')
  // What is typed before it has the focus is lost.
  await page.getByRole('combobox', { name: 'Find or jump to' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(name)
  await page.getByRole('option', { name }).first().waitFor()
  assert.deepEqual(await violations(page), [])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or jump to' }).fill('devices')
  await page.keyboard.press('Enter')
  await page.getByText('1–30 of 30').waitFor()
})

test('the frame is drawn before the server says who is signed in', { skip }, async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/console/api/session', async (route) => {
    await held
    await route.continue()
  })
  try {
    const going = page.goto(`${trial.baseUrl}/console/devices`)
    await page.getByText('Loading…').first().waitFor({ state: 'attached' })
    await page.locator('.side').getByText('Devices').waitFor()
    assert.deepEqual(await violations(page), [])
    answer()
    await going
    await page.getByText('1–30 of 30').waitFor()
  } finally {
    answer()
    await page.unroute('**/console/api/session')
  }
})

test('an open page follows the color scheme of the system', { skip }, async () => {
  const scheme = (name: string) => page.locator(`html[data-mantine-color-scheme="${name}"]`).waitFor()
  await page.evaluate(() => localStorage.removeItem('muster-scheme'))
  await page.emulateMedia({ colorScheme: 'dark' })
  await scheme('dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await scheme('light')
})

test('a command is found by its name and by other words for it', { skip }, async () => {
  const find = async (words: string) => {
    // It is still there for as long as it fades.
    await page.getByRole('dialog', { name: 'Find or jump to' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find or jump to' }).fill(words)
  }
  await find('dark')
  await page.getByRole('option', { name: /^Dark appearance/ }).click()
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await find('theme')
  await page.getByRole('option', { name: /^Light appearance/ }).click()
  await page.locator('html[data-mantine-color-scheme="light"]').waitFor()
  await find('settings')
  await page.getByRole('option', { name: /^Settings/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Organization' }).waitFor()
  await find('no such thing')
  await page.getByText('No results.').waitFor()
  await page.getByRole('combobox', { name: 'Find or jump to' }).fill('create webhook')
  await page.getByRole('option', { name: /^New webhook/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'New webhook' }).waitFor()
  await find('docs')
  await page.getByRole('option', { name: /^Documentation/ }).click()
  await page.getByRole('heading', { level: 1, name: 'The admin console' }).waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  await visitAddress(page, `${trial.baseUrl}/console/devices`)
  await page.getByText('1–30 of 30').waitFor()
})

test('a device shows its issues and its results, and a missing one says so', { skip }, async () => {
  const link = page.locator('[data-row-link]').first()
  const name = (await link.textContent()) ?? ''
  await link.click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('heading', { name: 'Check results' }).waitFor()
  await page
    .getByText(/Passing/)
    .first()
    .waitFor()
  assert.equal(await page.title(), `${name} · Devices · Muster`)
  await visitAddress(page, `${trial.baseUrl}/console/devices/900000000000000001`)
  await page.getByText('There is no device 900000000000000001.').waitFor()
  assert.deepEqual(await violations(page), [])
})

test('streams and webhooks show what became of every event', { skip }, async () => {
  await visitAddress(page, `${trial.baseUrl}/console/settings/developers/streams`)
  await page.getByText('No streams yet.').waitFor()
  assert.deepEqual(await violations(page), [])
  const delivery = { method: 'urn:ietf:rfc:8936' }
  assert.equal((await askAsPage(page, 'POST', '/ssf_streams', { name: 'Gateway <b>', delivery })).status, 201)
  const endpoint = { url: 'https://hooks.invalid/in', events: ['device_trust.status_changed'], description: 'SIEM' }
  assert.equal((await askAsPage(page, 'POST', '/webhook_endpoints', endpoint)).status, 200)
  for (const id of [1, 2, 3, 4, 5, 6]) {
    const wanted = { remediation_strategy: 'block_immediately' }
    assert.equal((await askAsPage(page, 'PATCH', `/checks/${id}/configurations`, wanted)).status, 200)
  }
  await page.reload()
  await page.getByRole('link', { name: 'Gateway <b>' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gateway <b>' }).waitFor()
  await page.getByText('not-compliant').first().waitFor({ timeout: 120_000 })
  await page.locator('[data-row-link]').first().click()
  await page.getByRole('complementary', { name: 'Event' }).getByText('Attempts').waitFor()
  assert.match(page.url(), /[?&]event=\d+/)
  assert.deepEqual(await violations(page), [])
  await visitAddress(page, `${trial.baseUrl}/console/settings/developers/webhooks`)
  await page.getByRole('link', { name: 'SIEM' }).click()
  // The rows of the list that is left are links, too.
  await page.locator('[data-row-link][href*="/deliveries/"]').first().click()
  await page.getByRole('heading', { name: 'Request' }).waitFor()
  await visitAddress(page, `${trial.baseUrl}/console/checks?q=firewall`)
  await page.getByText('Application firewall is on').waitFor()
})

test('when the session ends, signing in leads back to the page', { skip }, async () => {
  await page.goto(`${trial.baseUrl}/console/devices?state=good`)
  await page.getByText('1–').waitFor()
  await page.context().clearCookies()
  await page.locator('[data-row-link]').first().click()
  await page.getByText('Your session has ended.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByLabel('E-mail').fill('mira@halden.example')
  await page.locator('input[name=password]').fill('wrong, and long enough')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor()
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Check results' }).waitFor()
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
