// Party: Chromium with its question on a screen: chromium Xvfb=xvfb xdotool
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { until } from '../support/muster-process.ts'
import { type ApplicationSite, openApplicationSite } from './application-site.ts'
import { enter, loopbackStateIn, openChromium, privatePage } from './chromium.ts'
import { isCompanion, newestSignIn, pressAllow, pressOtherWay, regionIn, untilUndetected } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'
import { openScreen } from './x-server.ts'

const place = signInPlace()
const hint = { login_hint: 'ana@acme.example' }
let screen: Awaited<ReturnType<typeof openScreen>>
let browser: Browser
let site: ApplicationSite

before(async () => {
  await place.ready
  const { id: ownerId } = await place.make.person(place.tenant.organizationId, { email: hint.login_hint })
  await place.tenant.addLaptop({ ownerId })
  site = await openApplicationSite(place, hint)
  screen = await openScreen()
  browser = await openChromium(place.tenant.origin, screen.display)
})

after(async () => {
  await browser?.close()
  await screen?.stop()
  await site?.stop()
})

/** The keys that lead on from the cross of Chromium's question, where Tab goes first; Block and Allow come after it. */
const answers = { allow: ['Tab', 'Tab', 'Return'], block: ['Tab', 'Return'], close: ['Escape'] } as const

/** The question takes the keys from a moment after the request on: until then the page itself hears the Tab. */
async function answer(page: Page, keys: readonly string[]): Promise<void> {
  await until(30_000, async () => {
    await page.evaluate('document.activeElement?.blur()')
    await screen.press('Tab')
    await page.waitForTimeout(500)
    return page.evaluate<boolean>('document.activeElement === document.body')
  })
  await screen.press(...keys)
}

const challengesOf = async (sid: string): Promise<number> =>
  (await place.db.selectFrom('companion_challenges').select('sid').where('sid', '=', sid).execute()).length

/** A window whose page has been told to ask, and in which the browser's question is open. */
async function asked() {
  const { context, page } = await privatePage(browser)
  let hasReached = false
  page.on('requestfinished', (request) => {
    hasReached ||= isCompanion(request.url())
  })
  const isAsked = page.waitForEvent('request', (request) => isCompanion(request.url()))
  const signIn = await site.begin()
  await page.goto(signIn.address)
  await page.locator(regionIn('permission')).waitFor()
  await page.bringToFront()
  await page.locator(pressAllow).click()
  await isAsked
  return { context, page, hasReached: () => hasReached, ...signIn }
}

test('while the question is open no challenge is given and nothing is reported; Allow passes', async () => {
  const { context, page, claims, hasReached } = await asked()
  const { id, detection_failure: failure } = await newestSignIn(place)
  assert.deepEqual(
    [hasReached(), failure, await challengesOf(id), await loopbackStateIn(page)],
    [false, null, 0, 'prompt'],
  )
  await answer(page, answers.allow)
  assert.equal((await claims())['acr'], 'urn:muster:device:compliant')
  await context.close()
})

test('Block is named, and the other way passes', async () => {
  const { context, page, claims } = await asked()
  await answer(page, answers.block)
  assert.equal(await untilUndetected(place), 'permission_denied')
  assert.equal(await loopbackStateIn(page), 'denied')
  await page.locator(regionIn('no_answer')).waitFor()
  await page.locator(pressOtherWay).first().click()
  assert.equal((await claims())['acr'], 'urn:muster:device:compliant')
  await context.close()
})

test('a question that was closed leaves the page with the other way, which passes', async () => {
  const { context, page, claims } = await asked()
  await answer(page, answers.close)
  await untilUndetected(place)
  assert.equal(await loopbackStateIn(page), 'prompt')
  await page.locator(regionIn('no_answer')).waitFor()
  await page.locator(pressOtherWay).first().click()
  assert.equal((await claims())['acr'], 'urn:muster:device:compliant')
  await context.close()
})

test('a question that was closed is named as such', async () => {
  const { context, page } = await asked()
  await answer(page, answers.close)
  const reason = await untilUndetected(place)
  await context.close()
  assert.equal(reason, 'permission_denied')
})

test('the next sign-in of a window in which Allow was chosen passes without a click', async () => {
  const { context, page, claims } = await asked()
  await answer(page, answers.allow)
  await claims()
  const next = await site.begin()
  await enter(page, next.address)
  assert.equal((await next.claims())['acr'], 'urn:muster:device:compliant')
  await until(1_000, async () => next.isAnswered())
  await context.close()
})
