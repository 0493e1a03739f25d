import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { oidcClient, startIdentityProvider } from '../../server/test/support/identity-provider.ts'
import { type ConsoleInBrowser, lackOfBrowser as skip } from './browser.ts'
import { violations } from './look.ts'
import { openSignedIn } from './open-signed-in.ts'

let opened: ConsoleInBrowser
let page: Page
let provider: Awaited<ReturnType<typeof startIdentityProvider>>

before(async () => {
  if (skip !== false) return
  opened = await openSignedIn(12, async (baseUrl) => {
    provider = await startIdentityProvider(`${baseUrl}/console/api/session/oidc/callback`)
    return {
      MUSTER_OIDC_ISSUER: provider.issuer,
      MUSTER_OIDC_CLIENT_ID: oidcClient.id,
      MUSTER_OIDC_CLIENT_SECRET: oidcClient.secret,
      MUSTER_OIDC_NAME: 'Example ID',
    }
  })
  page = opened.page
  provider.accounts.set('mira', { email: 'mira@halden.example', emailVerified: true })
  provider.accounts.set('tom', { email: 'tom@halden.example', emailVerified: true })
  provider.accounts.set('ana', { email: 'mira@halden.example', emailVerified: false })
})

after(async () => {
  await opened?.stop()
  await provider?.stop()
})

/** From the page for signing in to the provider, through its pages, and back. */
async function followProvider(login: string) {
  await page.context().clearCookies()
  await page.goto(`${opened.trial.baseUrl}/console/sign-in`)
  await page.getByRole('link', { name: 'Continue with Example ID' }).click()
  await page.waitForURL((url) => url.origin === provider.issuer)
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  // It asks whether Muster may know who this is.
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
  await page.locator('button[type=submit]').click()
  await page.waitForURL((url) => url.origin === opened.trial.baseUrl)
}

test('an administrator follows the link to the identity provider and comes back signed in', { skip }, async () => {
  await page.context().clearCookies()
  await page.goto(`${opened.trial.baseUrl}/console/sign-in`)
  await page.getByRole('link', { name: 'Continue with Example ID' }).waitFor()
  assert.deepEqual(await violations(page), [])
  await followProvider('mira')
  await page.getByText('enrolled').first().waitFor()
  assert.equal(new URL(page.url()).pathname, '/console/')
  await page.getByRole('button', { name: 'Mira' }).waitFor()
})

test('whoever is no administrator is turned away in words', { skip }, async () => {
  await followProvider('tom')
  await page.getByText('No administrator has the e-mail address that your identity provider sent').waitFor()
  assert.deepEqual(await violations(page), [])
})

test('who has an address that the provider does not call verified is told what to do', { skip }, async () => {
  await followProvider('ana')
  await page.getByText(/does not say that this e-mail address is verified\. Entra: add the optional claim/).waitFor()
  await followProvider('mira')
  await page.getByText('enrolled').first().waitFor()
  await page.goto(`${opened.trial.baseUrl}/console/settings/sign-in`)
  await page.getByText(/has to say that the e-mail address is verified/).waitFor()
  assert.deepEqual(await violations(page), [])
})

test('the policy of the pages was kept', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
