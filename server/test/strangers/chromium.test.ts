// Party: Chromium: chromium
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { until } from '../support/muster-process.ts'
import { type ApplicationSite, openApplicationSite } from './application-site.ts'
import { enter, openChromium, privatePage, type Setting, setLoopback } from './chromium.ts'
import type { Laptop } from './laptop.ts'
import { loopbackBrowser } from './loopback-browser.ts'
import { isCompanion, newestSignIn, pressAllow, pressOtherWay, regionIn, untilUndetected } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'

const place = signInPlace()
const hint = { login_hint: 'ana@acme.example' }
let browser: Browser
let site: ApplicationSite
let laptop: Laptop
let ownerId: string

before(async () => {
  await place.ready
  ownerId = (await place.make.person(place.tenant.organizationId, { email: hint.login_hint })).id
  laptop = await place.tenant.addLaptop({ ownerId })
  site = await openApplicationSite(place, hint)
  browser = await openChromium(place.tenant.origin)
})

after(async () => {
  await browser?.close()
  await site?.stop()
})

/** A window in which the person has answered the question in this way. */
async function opened(setting: Setting) {
  const { context, page } = await privatePage(browser)
  await setLoopback(context, page, place.tenant.origin, setting)
  const asked: string[] = []
  page.on('request', (request) => isCompanion(request.url()) && asked.push(request.url()))
  const signIn = await site.begin()
  await enter(page, signIn.address)
  return { context, page, asked, ...signIn }
}

async function assertCompliant(claims: Record<string, unknown>, deviceId = laptop.deviceId): Promise<void> {
  assert.deepEqual([claims['acr'], claims['amr']], ['urn:muster:device:compliant', ['swk', 'pop']])
  assert.deepEqual(claims['device_context'], { managed: true, compliant: true, externalId: deviceId })
}

/** What a sign-in came by, in the words of the proof's `via`. */
const wasBounced = (asked: readonly string[]) => asked.some((address) => address.includes('/v1/return'))

test('allowed before: the page passes without a click, by fetch', async () => {
  const { context, asked, claims } = await opened('granted')
  await assertCompliant(await claims())
  assert.equal(wasBounced(asked), false)
  await context.close()
})

test('not asked before: the page explains the question, and asks nothing until it is told to', async () => {
  const { context, page, asked, claims } = await opened('prompt')
  await page.locator(regionIn('permission')).waitFor()
  assert.deepEqual(asked, [])
  const { detection_failure: failure, device_id: device } = await newestSignIn(place)
  assert.deepEqual([failure, device], [null, null])
  await page.locator(pressOtherWay).first().click()
  await assertCompliant(await claims())
  assert.equal(wasBounced(asked), true)
  await context.close()
})

test('blocked: the page names it, and the other way passes', async () => {
  const { context, page, asked, claims, isAnswered } = await opened('denied')
  assert.equal(await untilUndetected(place), 'permission_denied')
  await page.locator(regionIn('no_answer')).waitFor()
  assert.equal(isAnswered(), false)
  await page.locator(pressOtherWay).first().click()
  await assertCompliant(await claims())
  assert.equal(wasBounced(asked), true)
  await context.close()
})

test('blocked when it asks: the page names it', async () => {
  const { context, page } = await opened('prompt')
  await page.locator(regionIn('permission')).waitFor()
  // A browser without a window answers its own question with no.
  await page.locator(pressAllow).click()
  await untilUndetected(place)
  await page.locator(regionIn('no_answer')).waitFor()
  await context.close()
})

test('blocked, and allowed in the settings of the site: the page passes by itself', async () => {
  const { context, page, isAnswered } = await opened('denied')
  await page.locator(regionIn('no_answer')).waitFor()
  await setLoopback(context, page, place.tenant.origin, 'granted')
  await until(60_000, async () => isAnswered())
  await context.close()
})

test('a challenge driven through another browser proves nothing, not even where that site is allowed', async () => {
  const attacker = await loopbackBrowser(place.tenant.origin).arrive((await site.begin()).address)
  const { id } = await newestSignIn(place)
  const evil = createServer((_request, response) => void response.end('<h1>Win a prize</h1>'))
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
  const address = evil.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const { context, page } = await privatePage(browser)
  await setLoopback(context, page, origin, 'granted')
  await page.goto(origin)
  const attest = `http://127.0.0.1:${laptop.port}/v1/attest`
  assert.equal(await fetchIn(page, attest, await attacker.challenge()), 'TypeError')
  const back = page.waitForURL(/\/signin\/return/)
  await page.evaluate(`location.assign('${attest.replace('attest', `return?c=${await attacker.challenge()}`)}')`)
  await back
  await page.waitForLoadState('networkidle')
  const session = (await place.sessions()).find((one) => one.id === id)
  assert.deepEqual([session?.device_id, session?.state], [null, 'looking'])
  await context.close()
  evil.close()
})

const fetchIn = (page: Page, url: string, challenge: string): Promise<string> =>
  page.evaluate(
    ([where, body]) =>
      fetch(where, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
        ({ status }) => String(status),
        (error: Error) => error.name,
      ),
    [url, JSON.stringify({ challenge })] as const,
  )

test('no agent: the page names it, looks again and again, and passes when one starts', async () => {
  await laptop.stop()
  const { context, page, claims } = await opened('granted')
  assert.equal(await untilUndetected(place), 'agent_not_found')
  await page.locator(regionIn('no_answer')).waitFor()
  laptop = await place.tenant.addLaptop({ ownerId, hostname: 'ana-t14' })
  await assertCompliant(await claims())
  await context.close()
  await until(1_000, async () => (await newestSignIn(place)).answered_at !== null)
})
