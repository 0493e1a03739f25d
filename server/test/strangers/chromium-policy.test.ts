// Party: Chromium under a managed policy: chromium
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { chromium } from 'playwright-core'
import { type ApplicationSite, openApplicationSite } from './application-site.ts'
import { enter, loopbackStateIn, openChromium, optionsFor, privatePage } from './chromium.ts'
import { isCompanion } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'

const place = signInPlace()
const hint = { login_hint: 'ana@acme.example' }
/** Where Debian's Chromium looks, and no other place. */
const policies = '/etc/chromium/policies/managed'
const file = join(policies, `muster-test-${process.pid}.json`)
const profile = mkdtempSync(join(tmpdir(), 'muster-profile-'))
const mayWrite = process.getuid?.() === 0
const skip = mayWrite ? false : `only root may write to ${policies}`
const remove = () => rmSync(file, { force: true })
let site: ApplicationSite

before(async () => {
  await place.ready
  if (!mayWrite) return
  const { id: ownerId } = await place.make.person(place.tenant.organizationId, { email: hint.login_hint })
  await place.tenant.addLaptop({ ownerId })
  site = await openApplicationSite(place, hint)
  mkdirSync(policies, { recursive: true })
  process.once('exit', remove)
  writeFileSync(file, JSON.stringify({ LoopbackNetworkAllowedForUrls: [place.tenant.origin] }))
})

after(async () => {
  remove()
  rmSync(profile, { recursive: true, force: true })
  await site?.stop()
})

test('LoopbackNetworkAllowedForUrls lets the page pass without a question', { skip }, async () => {
  const context = await chromium.launchPersistentContext(profile, optionsFor(place.tenant.origin))
  const page = await context.newPage()
  const signIn = await site.begin()
  await enter(page, signIn.address)
  assert.equal((await signIn.claims())['acr'], 'urn:muster:device:compliant')
  await context.close()
})

test('so it does in a private window, and not for other sites', { skip }, async () => {
  const browser = await openChromium(place.tenant.origin)
  const { page } = await privatePage(browser)
  const asked: string[] = []
  page.on('requestfinished', (request) => isCompanion(request.url()) && asked.push(request.url()))
  const signIn = await site.begin()
  await enter(page, signIn.address)
  assert.equal((await signIn.claims())['acr'], 'urn:muster:device:compliant')
  assert.ok(asked.length > 0 && asked.every((address) => !address.includes('/v1/return')), 'it went by fetch')
  const elsewhere = await browser.newPage()
  await elsewhere.goto(site.redirectUri)
  assert.equal(await loopbackStateIn(elsewhere), 'prompt')
  await browser.close()
})
