// Party: Chromium: chromium
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type ApplicationSite, openApplicationSite } from './application-site.ts'
import { enter, openChromium, privatePage, setLoopback } from './chromium.ts'
import { regionIn } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'

const place = signInPlace()
const hint = { login_hint: 'ana@acme.example' }
const compliant = 'urn:muster:device:compliant'
let browser: Browser
let site: ApplicationSite

before(async () => {
  await place.ready
  const { id: ownerId } = await place.make.person(place.tenant.organizationId, { email: hint.login_hint })
  await place.tenant.addLaptop({ ownerId })
  site = await openApplicationSite(place, hint)
  browser = await openChromium(place.tenant.origin)
})

after(async () => {
  await browser?.close()
  await site?.stop()
})

/** A window that may reach the companion. */
async function openWindow() {
  const { context, page } = await privatePage(browser)
  await setLoopback(context, page, place.tenant.origin, 'granted')
  return { context, page }
}

test('five tabs that are opened at once all reach the application', async () => {
  const { context, page } = await openWindow()
  const tabs = [page, ...(await Promise.all([2, 3, 4, 5, 6].map(() => context.newPage())))]
  const signIns = await Promise.all(tabs.map(() => site.begin()))
  await Promise.all(tabs.map((tab, index) => enter(tab, signIns[index]?.address ?? '')))
  for (const { claims } of signIns) assert.equal((await claims())['acr'], compliant)
  const rows = await place.db.selectFrom('signin_sessions').select('tab').execute()
  assert.equal(new Set(rows.map(({ tab }) => tab)).size, 6)
  assert.ok(rows.every(({ tab }) => tab !== null))
  await context.close()
})

test('an application that asks again and again in one tab is held back, and the person may go on', async () => {
  const { context, page } = await openWindow()
  for (let round = 0; round < 4; round += 1) {
    const { address, claims } = await site.begin()
    await enter(page, address)
    assert.equal((await claims())['acr'], compliant)
  }
  const { address, isAnswered, claims } = await site.begin()
  await enter(page, address)
  await page.locator(regionIn('keeps_asking')).waitFor()
  await page.getByRole('heading', { name: 'Payroll keeps asking again' }).waitFor()
  assert.equal(isAnswered(), false)
  await page.getByRole('button', { name: 'Try once more' }).click()
  assert.equal((await claims())['acr'], compliant)
  await context.close()
})
