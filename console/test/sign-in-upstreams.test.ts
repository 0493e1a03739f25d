import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { json, startHostileProvider } from '../../server/test/support/hostile-provider.ts'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { keepPicture } from './keep-pictures.ts'
import { assertFitsPhone, violations } from './look.ts'
import { at, opened, page, visit, withConsole } from './signed-in.ts'

const provider = await startHostileProvider()
after(() => provider.stop())
withConsole(12, { settings: async () => ({ MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' }) })

const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
const signsOut = () => page.getByLabel('Sign people out there as well')
/** What is entered at the provider. */
async function showsAddresses(): Promise<void> {
  for (const [label, path] of [
    ['Redirect address', '/signin/upstream/return'],
    ['Sign-out address', '/signin/upstream/signed-out'],
  ] as const) {
    await page
      .getByRole('group', { name: label })
      .getByText(`${opened.trial.baseUrl}${path}`, { exact: true })
      .waitFor()
  }
}
const listed = async () => (await askAsPage(page, 'GET', '/views/sign_in_upstreams')).body.data

test('an identity provider is added, with what to enter there', { skip }, async () => {
  provider.reset()
  await visit('/connections/upstreams')
  await page.getByText('No identity providers yet.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('link', { name: 'Add identity provider' }).click()
  await page.getByLabel('Google Workspace domain').waitFor()
  assert.equal(await page.getByLabel('Issuer').count(), 0)
  assert.equal(await page.getByLabel('Sign people out there as well').count(), 0, 'Google has no address for it')
  const guide = page.getByRole('link', { name: 'How to' })
  for (const [product, path] of [
    ['Okta', 'sign-in-okta'],
    ['Microsoft Entra', 'sign-in-entra-upstream'],
  ] as const) {
    await page.getByLabel('Product').selectOption(product)
    assert.match((await guide.getAttribute('href')) ?? '', new RegExp(`/${path}$`))
  }
  await page.getByLabel('Domains', { exact: true }).waitFor()
  await page.getByLabel('Issuer').fill('https://login.microsoftonline.com/common/v2.0')
  await page.getByLabel('Client ID').fill('muster')
  await page.getByLabel('Client secret', { exact: true }).fill('a-secret-of-the-tests')
  await button('Add identity provider').click()
  await page.getByText('must be of one tenant').waitFor()
  await page.getByLabel('Product').selectOption('Keycloak')
  await page.getByLabel('Issuer').fill(provider.issuer)
  await page.getByLabel('Client ID').fill('muster')
  await page.getByLabel('Client secret', { exact: true }).fill('a-secret-of-the-tests')
  await page.getByLabel('Add people at their first sign-in').check()
  await button('Add identity provider').click()
  await page.getByText('needs the domains whose people are added').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByLabel('Domains (optional)').fill('example.com\nExample.org')
  await page.getByLabel('Tenant claim (optional)').fill('tid')
  await page.getByLabel('Tenant', { exact: true }).fill('a1')
  await signsOut().check()
  await button('Add identity provider').click()
  await page.getByText('must be off: the provider names no end_session_endpoint').waitFor()
  assert.equal(await signsOut().getAttribute('aria-invalid'), 'true')
  await keepPicture(page, '/sign-in-new-upstream')
  const metadata = { ...provider.metadata, end_session_endpoint: `${provider.issuer}/logout` }
  provider.endpoints.set('/.well-known/openid-configuration', json(metadata))
  await button('Add identity provider').click()
  await page.getByRole('heading', { level: 1, name: 'Identity provider added' }).waitFor()
  await showsAddresses()
  assert.deepEqual(await violations(page), [])
  await keepPicture(page, '/sign-in-upstream-added')
  const [{ name, tenant, email_domains: domains, creates_people: creates, signs_out: isSignedOut }] = await listed()
  assert.deepEqual(
    [name, tenant, domains, creates, isSignedOut],
    ['Keycloak', { claim: 'tid', value: 'a1' }, ['example.com', 'example.org'], true, true],
  )
})

test('a connection takes the address where its caller publishes its keys', { skip }, async () => {
  const keys = 'Public keys that sign its requests'
  await visit('/connections/new')
  await page.getByLabel('Redirect addresses').fill('https://payroll.example/callback')
  await page.getByLabel(keys).fill(`${provider.issuer}/nothing`)
  await button('Create').click()
  await page.getByText('must answer with 200, not with 404').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByLabel(keys).fill(`${provider.issuer}/jwks`)
  await button('Create').click()
  await page.getByRole('heading', { level: 1, name: 'Connection created' }).waitFor()
  await page.getByRole('link', { name: 'Go to the connection' }).click()
  await page.goto(`${page.url()}/settings`)
  assert.equal(await page.getByLabel(keys).inputValue(), `${provider.issuer}/jwks`)
  await page.getByLabel(keys).fill(JSON.stringify({ keys: [provider.jwk] }))
  await page.getByText('1 change: request keys').waitFor()
})

test('Google has no address that signs people out: neither the setting nor the address is shown', {
  skip,
}, async () => {
  const [{ id }] = await listed()
  const answers = '**/views/sign_in_upstreams*'
  await page.route(answers, async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, data: [{ ...answer.data[0], provider: 'google' }] } })
  })
  await page.goto(at(`/connections/upstreams/${id}`))
  await page.getByLabel('Google Workspace domain').waitFor()
  await page.getByRole('group', { name: 'Redirect address' }).waitFor()
  assert.equal(await signsOut().count(), 0)
  assert.equal(await page.getByRole('group', { name: 'Sign-out address' }).count(), 0)
  await page.unroute(answers)
  await page.goto(at('/connections/upstreams'))
})

test('it is renamed, its secret is replaced, and it is deleted once no connection uses it', { skip }, async () => {
  await visit('/connections/upstreams')
  await page.getByRole('link', { name: 'Keycloak' }).click()
  await page.getByRole('heading', { level: 1, name: 'Keycloak' }).waitFor()
  await page.getByLabel('Name').fill('Example ID')
  await page.getByText('1 change: name').waitFor()
  await showsAddresses()
  assert.ok(await signsOut().isChecked())
  await signsOut().uncheck()
  await page.getByText('2 changes: name, signing out there').waitFor()
  assert.deepEqual(await violations(page), [])
  await keepPicture(page, '/sign-in-upstream')
  await keepPicture(page, '/sign-in-upstream', 'dark')
  await button('Save changes').click()
  await page.getByRole('heading', { level: 1, name: 'Example ID' }).waitFor()
  const [{ name, signs_out: isSignedOut }] = await listed()
  assert.deepEqual([name, isSignedOut], ['Example ID', false])
  await assertFitsPhone(page)
  await button('More for this identity provider').click()
  await page.getByRole('menuitem', { name: 'Replace the client secret…' }).click()
  await page.getByRole('dialog').getByLabel('Client secret', { exact: true }).fill('another')
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click()
  await page.getByText('Client secret replaced').waitFor()
  await button('More for this identity provider').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete the identity provider' }).click()
  await page.getByText('No identity providers yet.').waitFor()
  assert.deepEqual(await listed(), [])
})
