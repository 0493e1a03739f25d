import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { signInAs } from '../../server/test/strangers/sign-in-page.ts'
import { oidcClient, startIdentityProvider } from '../../server/test/support/identity-provider.ts'
import { askAsPage, lackOfBrowser as skip, untilIdle } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'
import { opened, page, visit, withConsole } from './signed-in.ts'

const email = 'ana.ruiz@halden.example'
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
after(() => provider?.stop())

withConsole(12, {
  settings: async (baseUrl) => {
    provider = await startIdentityProvider(`${baseUrl}/signin/upstream/return`)
    provider.accounts.set('ana-7', { email, emailVerified: true })
    return { MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' }
  },
  setUp: async () => {
    const { run } = opened.trial
    await run('people', 'add', 'Ana Ruiz', email)
    const keys = join(mkdtempSync(join(tmpdir(), 'muster-keys-')), 'keys.json')
    after(() => rmSync(dirname(keys), { recursive: true }))
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    writeFileSync(keys, JSON.stringify({ keys: [jwk] }))
    const caller = ['Payroll', '--redirect-uri', 'https://payroll.example.com/cb', '--request-keys', keys, '--enforce']
    await run('connections', 'add', 'second-step', ...caller)
  },
})

const idOfAna = async (): Promise<string> =>
  (await askAsPage(page, 'GET', '/views/people?search=ana.ruiz')).body.data[0].id

test('the help desk gives a person a code, sees that it waits, and withdraws it', { skip }, async () => {
  await visit(`/people/${await idOfAna()}`)
  const codes = page.getByRole('region', { name: 'Sign-in codes' })
  await codes.getByText('No codes.').waitFor()
  await codes.getByRole('button', { name: 'Give a code…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Give a sign-in code' })
  await dialog.getByLabel('Reason').fill('Loaner laptop')
  assert.deepEqual(await violations(page), [])
  await dialog.getByRole('button', { name: 'Give the code' }).click()
  const shown = page.getByRole('dialog', { name: 'Read this code to Ana Ruiz' })
  const code = ((await shown.getByRole('group', { name: 'Code' }).textContent()) ?? '').trim()
  assert.match(code, /^[A-Z2-9]{5}-[A-Z2-9]{5}$/)
  assert.deepEqual(await violations(page), [])
  await shown.getByRole('button', { name: 'I’ve saved it' }).click()
  await codes.getByText('Payroll').waitFor()
  await codes.getByText(/^Expires/).waitFor()
  assert.equal((await codes.textContent())?.includes(code), false)
  assert.deepEqual(await violations(page), [])
  await codes.getByRole('button', { name: /Withdraw/ }).click()
  await page.getByRole('button', { name: 'Withdraw the code', exact: true }).click()
  await codes.getByText(/^Withdrawn/).waitFor()
})

test('a code is offered at connections that take one, and the others say why they do not', { skip }, async () => {
  const off = {
    kind: 'second_step',
    mode: 'disabled',
    name: 'Expenses',
    redirect_uris: ['https://expenses.example.com/cb'],
  }
  const { id } = (await askAsPage(page, 'POST', '/session/sign_in_connections', off)).body
  await visit(`/people/${await idOfAna()}`)
  await page.getByRole('button', { name: 'Give a code…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Give a sign-in code' })
  await dialog.getByText('Expenses: It is disabled: it refuses everyone, with a code too.').waitFor()
  assert.deepEqual(await dialog.getByLabel('Opens').locator('option').allTextContents(), ['Payroll'])
  assert.deepEqual(await violations(page), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await askAsPage(page, 'DELETE', `/session/sign_in_connections/${id}`)
})

/** A browser of Ana's own, in which she signs in to an application at the identity provider. */
async function signInAtProvider(): Promise<void> {
  const upstream = { name: 'Example ID', provider: 'oidc', issuer: provider.issuer }
  const client = { client_id: oidcClient.id, client_secret: oidcClient.secret }
  const made = await askAsPage(page, 'POST', '/session/sign_in_upstreams', { ...upstream, ...client })
  const redirect_uri = 'https://wiki.example.com/callback'
  const wiki = {
    kind: 'application',
    mode: 'enforce',
    name: 'Wiki',
    redirect_uris: [redirect_uri],
    upstream_id: made.body.id,
  }
  const { client_id } = (await askAsPage(page, 'POST', '/session/sign_in_connections', wiki)).body
  const asked = new URLSearchParams({
    ...{ client_id, redirect_uri, response_type: 'code', scope: 'openid', state: 's1', nonce: 'n1' },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
  })
  const context = await opened.browser.newContext()
  const own = await context.newPage()
  await own.goto(`${opened.trial.baseUrl}/signin/oidc/auth?${asked}`)
  await signInAs(own, 'ana-7')
  await own.locator('#region').waitFor()
  await context.close()
}

test('the accounts of a person are shown, and forgotten once it is said what follows', { skip }, async () => {
  const id = await idOfAna()
  const accounts = page.getByRole('region', { name: 'Sign-in accounts' })
  await visit(`/people/${id}`)
  await untilIdle(page)
  assert.equal(await accounts.count(), 0)
  await signInAtProvider()
  await page.route('**/people/*/identities', (route) => route.fulfill({ status: 404, json: { error: 'not_found' } }))
  await page.reload()
  await accounts.getByRole('alert').getByText('The sign-in accounts could not be loaded.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.unroute('**/people/*/identities')
  await accounts.getByRole('button', { name: 'Try again' }).click()
  await accounts.getByRole('row', { name: `${new URL(provider.issuer).host} Wiki` }).waitFor()
  assert.deepEqual(await violations(page), [])
  await assertFitsPhone(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await accounts.getByRole('button', { name: 'Forget accounts…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Forget the accounts of Ana Ruiz?' })
  await dialog.getByText(`The next account that signs in with ${email} is bound to Ana Ruiz.`).waitFor()
  assert.deepEqual(await violations(page), [])
  await dialog.getByRole('button', { name: 'Forget the accounts' }).click()
  await accounts.waitFor({ state: 'detached' })
  assert.deepEqual((await askAsPage(page, 'GET', `/views/people/${id}/identities`)).body, { data: [] })
})

test('the sign-in log is narrowed to a reason', { skip }, async () => {
  await visit('/sign-ins?reason=blocked_by_issues')
  await page.getByText('Issues block the device').first().waitFor()
  await page.getByText('No sign-ins match.').waitFor()
})

test('the page of a person with codes fits a phone', { skip }, async () => {
  await visit(`/people/${await idOfAna()}`)
  await untilIdle(page)
  await assertFitsPhone(page)
})

test('checks are required of first devices, and no longer', { skip }, async () => {
  const required = async () =>
    (await askAsPage(page, 'GET', '/views/settings')).body.chosen.registration_required_checks
  await visit('/settings/registration')
  const box = page.getByRole('group', { name: 'Checks that a first device has to pass' }).getByRole('checkbox').first()
  await box.check()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Require 1 check' }).click()
  await page.getByText('Saved which checks first devices have to pass').waitFor()
  assert.equal((await required()).length, 1)
  await box.uncheck()
  await page.getByRole('button', { name: 'Require no checks' }).click()
  await box.and(page.locator(':not(:checked)')).waitFor()
  await page.getByRole('button', { name: 'Require no checks' }).waitFor({ state: 'hidden' })
  assert.deepEqual(await required(), [])
})
