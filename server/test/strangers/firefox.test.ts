// Party: Firefox: firefox-esr
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { launch, type Page } from 'puppeteer-core'
import { companionPorts } from '../../src/agents/companion-keys/companion-ports.ts'
import { type ApplicationSite, openApplicationSite } from './application-site.ts'
import { placeOf } from './run-program.ts'
import { newestSignIn, pressAllow, pressOtherWay, regionIn, untilUndetected } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'

const place = signInPlace()
const hint = { login_hint: 'ana@acme.example' }
const timeout = 120_000
let site: ApplicationSite

before(async () => {
  await place.ready
  const { id: ownerId } = await place.make.person(place.tenant.organizationId, { email: hint.login_hint })
  await place.tenant.addLaptop({ ownerId })
  site = await openApplicationSite(place, hint)
})

after(async () => {
  await site?.stop()
})

/** The page of a sign-in in a Firefox of its own, to which the server has a public address. */
async function inFirefox(
  prefs: Record<string, unknown>,
  work: (page: Page, signIn: Awaited<ReturnType<ApplicationSite['begin']>>) => Promise<void>,
): Promise<void> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: placeOf('firefox-esr'),
    headless: true,
    timeout,
    extraPrefsFirefox: { 'network.lna.address_space.public.override': new URL(place.tenant.origin).host, ...prefs },
  })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(timeout)
    const signIn = await site.begin()
    await page.goto(signIn.address)
    // Firefox knows the permission by the name that the page asks for, and says so whatever its settings answer.
    await page.waitForSelector(regionIn('permission'))
    await work(page, signIn)
  } finally {
    await browser.close()
  }
}

const press = async (page: Page, button: string): Promise<void> => {
  const found = await page.waitForSelector(button)
  await found?.click()
}

/** Nothing has been timed or given while the question is open, which nobody answers here. */
async function assertPending(): Promise<void> {
  // Long enough for a request that is not held to have been answered.
  await pause(2_000)
  const { id, detection_failure: failure } = await newestSignIn(place)
  const challenges = await place.db.selectFrom('companion_challenges').select('sid').where('sid', '=', id).execute()
  assert.deepEqual([failure, challenges], [null, []])
}

test('Firefox asks: nothing is timed while its question is open, and the other way passes without an answer', async () => {
  await inFirefox({}, async (page, { claims }) => {
    await press(page, pressAllow)
    await assertPending()
    await press(page, pressOtherWay)
    assert.equal((await claims())['acr'], 'urn:muster:device:compliant')
  })
})

test('Firefox asks once, also where another program has one of the ports', async () => {
  const other = createServer((_request, response) => void response.writeHead(404).end())
  // Where the port is taken, another program has it already.
  other.on('error', () => {}).listen(companionPorts[1], '127.0.0.1')
  try {
    await inFirefox({}, async (page) => {
      await press(page, pressAllow)
      await assertPending()
    })
  } finally {
    other.close()
    other.closeAllConnections()
  }
})

test('Firefox that skips the question for this host passes by fetch, though it says that it would ask', async () => {
  await inFirefox({ 'network.lna.skip-domains': new URL(place.tenant.origin).hostname }, async (page, { claims }) => {
    await press(page, pressAllow)
    assert.equal((await claims())['acr'], 'urn:muster:device:compliant')
    const next = await site.begin()
    await page.goto(next.address)
    assert.equal((await next.claims())['acr'], 'urn:muster:device:compliant', 'from now on without a click')
  })
})

test('Firefox that blocks ends with a reason, and the other way passes', async () => {
  await inFirefox({ 'permissions.default.loopback-network': 2 }, async (page, { claims }) => {
    await press(page, pressAllow)
    assert.notEqual(await untilUndetected(place), null)
    await page.waitForSelector(regionIn('no_answer'))
    await press(page, pressOtherWay)
    assert.equal((await claims())['acr'], 'urn:muster:device:compliant')
  })
})
