import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword, type ConsoleInBrowser, openConsole, lackOfBrowser as skip } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'

let opened: ConsoleInBrowser

before(async () => {
  if (skip === false) opened = await openConsole(0)
})

after(() => opened?.stop())

const at = (path: string) => `${opened.trial.baseUrl}/console${path}`
const button = (name: string) => opened.page.getByRole('button', { name, exact: true })
const title = (name: string | RegExp) => opened.page.getByRole('heading', { level: 1, name }).waitFor()

const faults = () =>
  opened.page
    .locator('[aria-invalid=true]')
    .evaluateAll((fields) => fields.map((one) => (one as HTMLInputElement).name))

const focused = () => opened.page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.name)

test('the setup form names every fault itself, and a fault goes when its field is changed', { skip }, async () => {
  const { page, trial } = opened
  await page.goto(trial.setupLink)
  await page.getByLabel('Organization').fill('')
  await button('Create the account').click()
  await page.getByText('must have at least 12 characters').waitFor()
  assert.deepEqual(await faults(), ['organization_name', 'first_name', 'email', 'password'])
  assert.equal(await focused(), 'organization_name')
  assert.deepEqual(await violations(page), [])
  await page.locator('input[name=password]').fill('twelve chars')
  assert.equal(await page.getByText('must have at least 12 characters').count(), 0)
  await page.getByText('12 characters or more').waitFor()
  await page.getByLabel('Organization').fill('Halden Instruments')
  await page.getByLabel('First name').fill('Mira')
  await page.getByLabel('E-mail').fill('mira@halden')
  await button('Create the account').click()
  await page.getByText('must be an e-mail address').waitFor()
  assert.deepEqual([await faults(), await focused()], [['email'], 'email'])
  await page.getByLabel('E-mail').fill('mira@halden.example')
  await page.locator('input[name=password]').fill('password1234')
  await button('Create the account').click()
  await page.getByText('Choose a less common password: this one is in lists of leaked passwords.').waitFor()
  assert.deepEqual([await faults(), await focused()], [['password'], 'password'])
  await page.locator('input[name=password]').fill(adminPassword)
  await button('Create the account').click()
  await page.getByRole('link', { name: 'Later' }).click()
  await title('Enroll the first machine')
})

test('a finished step is ticked', { skip }, async () => {
  const { page } = opened
  await page.goto(at('/setup/second-factor'))
  await title('Add a second factor')
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
  assert.deepEqual(await steps.allTextContents(), ['Account, done', '2Second factor', '3Recovery codes'])
  assert.equal(await steps.first().locator('svg').count(), 1)
  assert.deepEqual(await violations(page), [])
})

test('whoever signs in from a link arrives there, at an address that can be loaded again', { skip }, async () => {
  const { page } = opened
  await page.goto(at('/'))
  for (const [path, heading] of [
    ['/settings/admins?q=mira', 'Administrators'],
    ['/devices', 'Devices'],
  ] as const) {
    await page.context().clearCookies()
    await page.goto(at(path))
    await title('Sign in')
    await button('Sign in').click()
    assert.deepEqual([await faults(), await focused()], [['email', 'password'], 'email'])
    await page.getByLabel('E-mail').fill('mira@halden.example')
    await page.locator('input[name=password]').fill(adminPassword)
    await button('Sign in').click()
    await title(heading)
    assert.equal(page.url(), at(path))
    await page.reload()
    await title(heading)
    assert.equal(page.url(), at(path))
  }
})

test('a link never leads elsewhere after the sign-in', { skip }, async () => {
  const { page } = opened
  for (const next of [
    '//evil.invalid',
    '/console//evil.invalid',
    'https://evil.invalid/console/',
    'javascript:alert(1)',
  ]) {
    await page.context().clearCookies()
    await page.goto(at(`/sign-in?next=${encodeURIComponent(next)}`))
    await page.getByLabel('E-mail').fill('mira@halden.example')
    await page.locator('input[name=password]').fill(adminPassword)
    await button('Sign in').click()
    await page.getByRole('navigation', { name: 'Console' }).waitFor()
    assert.equal(page.url(), at('/'), next)
  }
})

test('an address of the API that someone types leads to the page of the console', { skip }, async () => {
  const { page, trial } = opened
  await page.goto(`${trial.baseUrl}/settings/admins`)
  await title('Administrators')
  assert.equal(page.url(), at('/settings/admins'))
})

test('a key is checked before anyone is asked who they are, and the proof names what was wrong', { skip }, async () => {
  const { page } = opened
  await page.goto(at('/settings/developers/keys/new'))
  await page.getByLabel('Name', { exact: true }).fill('Tickets')
  await page.getByLabel('Responsible administrator').fill('')
  await page.getByRole('checkbox').first().check()
  // Six minutes later, the sign-in no longer counts as a proof.
  await page.route('**/console/api/session/api_keys', async (route) => {
    await route.fulfill({ status: 403, json: { error: 'step_up_needed', message: 'Confirm who you are.' } })
  })
  await button('Create the key').click()
  await page.getByText('needs a written rationale').waitFor()
  assert.equal(await focused(), 'responsible_administrator')
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' })
  assert.equal(await proof.count(), 0)
  await page.getByLabel('Responsible administrator').fill('Mira')
  await page.getByLabel(/^Why it needs/).fill('It closes tickets.')
  await button('Create the key').click()
  await proof.getByRole('textbox', { name: 'Password' }).fill('a wrong password')
  assert.equal(await proof.getByRole('button', { name: 'Use a passkey' }).count(), 0)
  await page.unroute('**/console/api/session/api_keys')
  await proof.getByRole('button', { name: 'Confirm' }).click()
  await proof.getByText('The password is wrong.').waitFor()
  assert.deepEqual(await violations(page), [])
  await proof.getByRole('textbox', { name: 'Password' }).fill(adminPassword)
  await proof.getByRole('button', { name: 'Confirm' }).click()
  await title('Key created')
})

test('an invitation names its faults, and its link and the button that copies it fit their dialog', {
  skip,
}, async () => {
  const { page } = opened
  const long = `https://${'a-very-long-label-of-a-host.'.repeat(5)}example/console/invite#mstr_link_${'x'.repeat(40)}`
  await page.route('**/console/api/session/administrators', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), url: long } })
  })
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(at('/settings/admins'))
    await button('Invite…').click()
    const invitation = page.getByRole('dialog', { name: 'Invite an administrator' })
    await invitation.getByRole('button', { name: 'Create link' }).click()
    assert.deepEqual([await faults(), await focused()], [['first_name', 'email'], 'first_name'])
    await invitation.getByLabel('First name').fill('Tom')
    await invitation.getByLabel('E-mail').fill(`tom${width}@halden.example`)
    await invitation.getByRole('button', { name: 'Create link' }).click()
    const shared = page.getByRole('dialog', { name: 'Share this link' })
    const around = await shared.boundingBox()
    const copy = await shared.getByRole('button', { name: /Copy/ }).boundingBox()
    assert.ok(around && copy)
    assert.ok(
      copy.x > around.x && copy.x + copy.width < around.x + around.width,
      `${width}: ${JSON.stringify({ around, copy })}`,
    )
    const line = shared.getByRole('group', { name: 'One-time link' })
    assert.equal(await line.evaluate((one) => one.scrollWidth - one.clientWidth), 0, 'all of the link is seen')
    assert.deepEqual(await violations(page), [])
    await shared.getByRole('button', { name: 'Done' }).click()
  }
})

test('the pages before the console fit a phone', { skip }, async () => {
  const { page } = opened
  for (const path of ['/setup/second-factor', '/sign-in']) {
    await page.goto(at(path))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await assertFitsPhone(page)
  }
  assert.deepEqual(opened.faults, [])
})
