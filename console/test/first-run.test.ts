import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword, askAsPage, type ConsoleInBrowser, openConsole, lackOfBrowser as skip } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'

let opened: ConsoleInBrowser

before(async () => {
  if (skip === false) opened = await openConsole(0)
})

after(() => opened?.stop())

test('the first administrator names the organization and leaves with a passkey and recovery codes', {
  skip,
}, async () => {
  const { page, trial } = opened
  await page.goto(trial.setupLink)
  await page.getByLabel('Organization').fill('Halden Instruments')
  await page.getByLabel('First name').fill('Mira')
  await page.getByLabel('E-mail').fill('mira@halden.example')
  await page.locator('input[name=password]').fill(adminPassword)
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Add a second factor' }).waitFor()
  assert.equal(new URL(page.url()).hash, '', 'the token is gone from the address')
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { level: 1, name: 'Save your recovery codes' }).waitFor()
  assert.equal(await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').count(), 10)
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByRole('navigation', { name: 'Console' }).getByText('Halden Instruments').waitFor()
})

test('an organization without devices is led to the first one', { skip }, async () => {
  const { page, trial } = opened
  await page.getByRole('heading', { level: 1, name: 'Enroll the first machine' }).waitFor()
  await page.getByText(/^Listening on/).waitFor()
  assert.deepEqual(await violations(page), [])
  await assertFitsPhone(page)
  await page.goto(`${trial.baseUrl}/console/devices`)
  await page.getByText('No devices enrolled yet.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('link', { name: 'Enroll a machine' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Enroll a machine' }).waitFor()
})

test('a machine that enrolls is seen on the page that waits for it', { skip }, async () => {
  const { page, trial } = opened
  const made = await askAsPage(page, 'POST', '/session/enrollment_secrets', { name: 'Trial' })
  assert.equal(made.status, 200)
  await page.getByText(/^Listening on/).waitFor()
  const enrolled = await fetch(`${trial.baseUrl}/api/v1/osquery/enroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enroll_secret: made.body.secret, host_identifier: 'A1B2C3D4-0000-4000-8000-000000000001' }),
  })
  assert.equal(((await enrolled.json()) as { node_invalid?: boolean }).node_invalid, false)
  await page.getByText('1 machine has enrolled.').waitFor()
  assert.deepEqual(await violations(page), [])
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
