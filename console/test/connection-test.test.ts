import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { oidcClient, startIdentityProvider } from '../../server/test/support/identity-provider.ts'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { violations } from './look.ts'
import { opened, page, visit, withConsole } from './signed-in.ts'

withConsole(12, { settings: async () => ({ MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' }) })

const post = async (path: string, body: object) => {
  const { status, body: answer } = await askAsPage(page, 'POST', `/session/${path}`, body)
  assert.equal(status, 200, JSON.stringify(answer))
  return answer
}

test('a connection is tested from its page: who signs in, what stops it, and nothing in the log', {
  skip,
}, async () => {
  const { baseUrl } = opened.trial
  const provider = await startIdentityProvider(`${baseUrl}/signin/upstream/return`)
  after(() => provider.stop())
  await opened.trial.run('people', 'add', 'Ana Ito', 'ana@example.com')
  provider.accounts.set('known-1', { email: 'ana@example.com', emailVerified: true })
  const client = { client_id: oidcClient.id, client_secret: oidcClient.secret }
  const upstream = { provider: 'oidc', name: 'Example ID', issuer: provider.issuer, ...client }
  const { id: upstreamId } = await post('sign_in_upstreams', { ...upstream, email_domains: [] })
  const application = { kind: 'application', name: 'Payroll', redirect_uris: ['https://payroll.example/callback'] }
  const { id } = await post('sign_in_connections', { ...application, upstream_id: upstreamId })
  const logs = async () => (await askAsPage(page, 'GET', '/auth_logs')).body.data.length
  const before = await logs()

  await visit(`/connections/${id}`)
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Test of Payroll' }).waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
  await page.locator('input[name=login]').fill('known-1')
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue, then choose Allow' }).click()
  await page.getByText('ana@example.com, known there as known-1').waitFor()
  await page.getByText('It stops at step 3 of 6.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.setViewportSize({ width: 390, height: 844 })
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('link', { name: 'Back to the connection' }).click()
  await page.getByRole('heading', { level: 1, name: 'Payroll' }).waitFor()
  assert.equal(await logs(), before)
})
