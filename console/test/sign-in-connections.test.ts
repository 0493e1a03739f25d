import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { askAsPage, assertFitsPhone, lackOfBrowser as skip, violations } from './browser.ts'
import { keepPictures, picturesAreKept } from './keep-pictures.ts'
import { at, opened, page, withConsole } from './signed-in.ts'

withConsole(3)

const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })

async function look(name: string): Promise<void> {
  await page.locator('[role="menu"]').waitFor({ state: 'detached' })
  assert.deepEqual(await violations(page), [], name)
  if (!picturesAreKept) return
  await keepPictures(page, `/sign-in-${name}`)
  await page.setViewportSize({ width: 1440, height: 900 })
}

const readConnection = async (id: string) => (await askAsPage(page, 'GET', `/views/sign_in_connections/${id}`)).body

let id = ''

test('a connection is made with what to select and to copy at the other side, and its secret is shown once', {
  skip,
}, async () => {
  await page.goto(at('/connections'))
  await page.getByText('No connections yet.').waitFor()
  await look('empty')
  await page.getByRole('link', { name: 'New connection' }).click()
  await page.getByRole('heading', { level: 1, name: 'New connection' }).waitFor()
  await page.getByRole('radio', { name: /Keycloak/ }).check()
  assert.ok(await page.getByLabel('The caller has signed this person in').isChecked())
  await page.getByRole('radio', { name: /OpenID Connect application/ }).check()
  assert.ok(!(await page.getByLabel('The caller has signed this person in').isChecked()))
  await page.getByLabel('Name', { exact: true }).fill('Payroll')
  await page.getByLabel('Redirect addresses').fill('http://payroll.example.com/callback')
  await page.getByLabel('Keys that sign its requests (optional)').fill('{"keys": 1}')
  await page.getByText('Must be a JWK set').waitFor()
  await page.getByLabel('Keys that sign its requests (optional)').fill('')
  await button('Create the connection').click()
  await page.getByText('must be an https address without a fragment').waitFor()
  await look('refused')
  await page.getByLabel('Redirect addresses').fill('https://payroll.example.com/callback\nhttps://pay.example.com/cb')
  await button('Create the connection').click()
  await page.getByRole('heading', { level: 1, name: 'Connection created' }).waitFor()
  const secret = (await page.getByRole('group', { name: 'Client secret' }).textContent())?.trim() ?? ''
  assert.match(secret, /^[\w-]{43}$/)
  await page.getByText(`${opened.trial.baseUrl}/signin/oidc/.well-known/openid-configuration`).waitFor()
  for (const address of ['https://payroll.example.com/callback', 'https://pay.example.com/cb']) {
    await page.getByText(address, { exact: true }).waitFor()
  }
  await page.getByText(/and the caller has not signed them in first: no one gets in/).waitFor()
  await look('created')
  await page.getByRole('link', { name: 'Go to the connection' }).click()
  await page.getByRole('heading', { level: 1, name: 'Payroll' }).waitFor()
  id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  assert.equal(await page.getByText(secret).count(), 0, 'the secret is gone from the page')
  const { mode, redirect_uris: addresses, is_public: isPublic } = await readConnection(id)
  assert.deepEqual([mode, addresses.length, isPublic], ['observe', 2, false])
})

test('enforcement is turned on with the number of people whom the report names', { skip }, async () => {
  await page.goto(at(`/connections/${id}/settings`))
  await page.getByLabel('The caller has signed this person in').check()
  await page.getByText('1 change: trust in hints').waitFor()
  await look('settings')
  await button('Save changes').click()
  await page.getByText('Connection saved').waitFor()
  await page.getByText(/only a device registered to that person gets in/).waitFor()

  const report = (await askAsPage(page, 'GET', `/views/sign_in_connections/${id}/readiness`)).body
  assert.ok(report.refused_count > 0, 'the simulated devices have no companions')
  await page.getByRole('link', { name: 'Mode', exact: true }).click()
  await button('Enforce…').click()
  const asked = dialog('Enforce “Payroll”?')
  await asked.getByRole('link').first().waitFor()
  await look('report')
  const save = asked.getByRole('button', { name: /^Enforce and refuse/ })
  await asked.getByLabel(/^Type \d+ to continue$/).fill(String(report.refused_count + 1))
  assert.ok(await save.isDisabled())
  await opened.trial.run('people', 'add', 'Late Comer', 'late@halden.example')
  await asked.getByLabel(/^Type \d+ to continue$/).fill(String(report.refused_count))
  await save.click()
  await asked
    .getByText(`Now ${report.refused_count + 1} people would be refused, not ${report.refused_count}.`)
    .waitFor()
  assert.equal((await readConnection(id)).mode, 'observe')
  await asked.getByLabel(`Type ${report.refused_count + 1} to continue`).fill(String(report.refused_count + 1))
  await save.click()
  await asked.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 2, name: 'Enforces' }).waitFor()
  assert.equal((await readConnection(id)).mode, 'enforce')
  await look('mode')
})

test('a connection that enforces is paused for a reason, and enforces again', { skip }, async () => {
  await page.goto(at(`/connections/${id}`))
  await button('Pause…').click()
  await dialog(/Pause/).getByLabel('Reason').fill('Agent update')
  await look('pause')
  await dialog(/Pause/).getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('heading', { level: 2, name: 'Paused' }).waitFor()
  await page.getByText('Reason: Agent update').waitFor()
  await look('paused')
  await button('End the pause').click()
  await page.getByRole('heading', { level: 2, name: 'Enforces' }).waitFor()
})

test('each kind of caller has its steps, and the list says what requests prove', { skip }, async () => {
  await page.goto(at(`/connections/${id}/setup`))
  for (const provider of ['okta', 'keycloak', 'authentik', 'oidc']) {
    await page.getByLabel('Set up at').selectOption(provider)
    await page.getByText('Shown once when it was made.').first().waitFor()
    await look(`setup-${provider}`)
  }
  await page.goto(at('/connections'))
  await page.getByRole('link', { name: 'Payroll' }).waitFor()
  await page.getByText('Trusted hints').waitFor()
  await look('list')
  await assertFitsPhone(page, [at('/connections'), at(`/connections/${id}`), at(`/connections/${id}/setup`)])
})

test('keys are rotated with the date of the change, and replaced at once only after a warning', { skip }, async () => {
  await page.goto(at('/connections/keys'))
  await page.getByText('None yet: the first sign-in makes one.').waitFor()
  assert.equal(await button('Rotate the key…').count(), 0)
  // An application that looks for the keys has the first one made.
  assert.equal((await fetch(`${opened.trial.baseUrl}/signin/oidc/jwks`)).status, 200)
  await page.reload()
  await button('Rotate the key…').click()
  await dialog('Rotate the signing key?').getByRole('button', { name: 'Rotate the key' }).click()
  await page.getByText(/^Published, signs from .+ UTC$/).waitFor()
  await look('keys')
  await button('Replace at once…').click()
  const warning = dialog('Replace the signing key at once?')
  const replace = warning.getByRole('button', { name: 'Replace the key at once' })
  assert.ok(await replace.isDisabled())
  await warning.getByLabel('Type replace to continue').fill('replace')
  await replace.click()
  await page
    .getByText(/^Withdrawn .+ UTC$/)
    .first()
    .waitFor()
  await page.getByText(/^Signs since .+ UTC$/).waitFor()
})

test('policy files are downloaded for the address of the server', { skip }, async () => {
  await page.goto(at('/connections/browsers'))
  await look('browsers')
  const started = page.waitForEvent('download')
  await button('Download muster-chrome-edge.json').click()
  const download = await started
  assert.equal(download.suggestedFilename(), 'muster-chrome-edge.json')
  const policy = JSON.parse(readFileSync(await download.path(), 'utf8'))
  assert.deepEqual(policy.LoopbackNetworkAllowedForUrls, [opened.trial.baseUrl])
  await assertFitsPhone(page, [at('/connections/browsers'), at('/connections/keys')])
})

test('the secret is replaced, and a connection is deleted by its name', { skip }, async () => {
  await page.goto(at(`/connections/${id}`))
  await button('More for this connection').click()
  await page.getByRole('menuitem', { name: 'Replace the client secret…' }).click()
  await dialog(/^Replace the client secret/)
    .getByRole('button', { name: 'Replace the client secret' })
    .click()
  await dialog('New client secret').getByRole('group').waitFor()
  await look('new-secret')
  await button('I’ve copied it').click()
  await button('More for this connection').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  const remove = dialog('Delete “Payroll”?').getByRole('button', { name: 'Delete the connection' })
  assert.ok(await remove.isDisabled())
  await look('delete')
  await page.getByLabel('Type Payroll to continue').fill('Payroll')
  await remove.click()
  await page.getByText('No connections yet.').waitFor()
  assert.equal((await askAsPage(page, 'GET', `/views/sign_in_connections/${id}`)).status, 404)
  assert.deepEqual(opened.faults, [])
})
