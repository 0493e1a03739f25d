// Party: Chromium: chromium
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { readMetadata } from '../../src/sign-in/upstreams/read-metadata.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { type ApplicationSite, openApplicationSite } from './application-site.ts'
import { openChromium, privatePage, setLoopback } from './chromium.ts'
import type { Laptop } from './laptop.ts'
import { regionIn, signInAs } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'

// An application by openid-client, Muster, a certified provider as the upstream, a real browser and a real companion.

const place = signInPlace()
const email = 'ana@acme.example'
const registered = { clientId: 'muster', clientSecret: 'the-secret-of-the-client' }
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
let browser: Browser
let site: ApplicationSite
let laptop: Laptop

before(async () => {
  await place.ready
  provider = await startIdentityProvider(`${place.tenant.origin}/signin/upstream/return`)
  provider.accounts.set('ana-7', { email, emailVerified: true })
  provider.accounts.set('eve-1', { email: 'eve@evil.example', emailVerified: true })
  const egress = { innerNames: [], innerRanges: ['127.0.0.1'] }
  const metadata = await readMetadata(egress, { provider: 'oidc', issuer: provider.issuer, ...registered })
  const wanted = { name: 'Example ID', provider: 'oidc', emailDomains: ['acme.example'], ...registered } as const
  const { id: upstreamId } = await place.tenant.addUpstream({ ...wanted, metadata })
  const { id: ownerId } = await place.make.person(place.tenant.organizationId, { email })
  laptop = await place.tenant.addLaptop({ ownerId })
  site = await openApplicationSite(place, { login_hint: email }, { upstreamId })
  browser = await openChromium(place.tenant.origin)
})

after(async () => {
  await browser?.close()
  await site?.stop()
  await provider?.stop()
})

/** A window that the application has sent through Muster to the provider. */
async function opened() {
  const { context, page } = await privatePage(browser)
  await setLoopback(context, page, place.tenant.origin, 'granted')
  const signIn = await site.begin()
  await page.goto(signIn.address)
  assert.equal(new URL(page.url()).origin, provider.issuer)
  return { context, page, ...signIn }
}

test('the provider names the person, the laptop proves itself, and the application opens', async () => {
  const { context, page, claims } = await opened()
  await signInAs(page, 'ana-7')
  const told = await claims()
  assert.deepEqual([told['acr'], told['amr']], ['urn:muster:device:compliant', ['swk', 'pop']])
  assert.deepEqual(told['device_context'], { managed: true, compliant: true, externalId: laptop.deviceId })
  await context.close()
})

test('a wrong account is told on a page, from which the person goes back and chooses the right one', async () => {
  const { context, page, isAnswered, claims } = await opened()
  await signInAs(page, 'eve-1')
  await page.locator(regionIn('identifying')).waitFor()
  assert.equal(new URL(page.url()).origin, place.tenant.origin)
  await page.getByRole('heading', { name: 'Use your Acme account' }).waitFor()
  assert.equal(isAnswered(), false)
  await page.getByRole('button', { name: 'Choose another account' }).click()
  await page.locator('input[name="login"]').waitFor()
  await signInAs(page, 'ana-7')
  assert.equal((await claims())['acr'], 'urn:muster:device:compliant')
  await context.close()
})
