import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createListener } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { visibleText } from '../../server/src/http/page/html.ts'
import {
  drawCodePage,
  drawFault,
  drawPage,
  drawRegion,
  drawReturnPage,
} from '../../server/src/sign-in/page/draw-page.ts'
import { openAssets } from '../../server/src/sign-in/page/page-assets.ts'
import type { PageView } from '../../server/src/sign-in/page/page-view.ts'
import { hostilePayloads } from '../../server/test/support/hostile-payloads.ts'
import { until } from '../../server/test/support/muster-process.ts'
import { signInViews } from '../../server/test/support/sign-in-views.ts'
import { deadlineMs, launchBrowser, lackOfBrowser as skip } from './browser.ts'
import { runAxe } from './look.ts'

const { assets, files } = openAssets()
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self' http://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types muster-region"

let view: PageView
let browser: Browser
let origin = ''
const faults: string[] = []

/** What the page asked for. */
const told: string[] = []
let isHolding = false
const held: ServerResponse[] = []

function hold(response: ServerResponse): void {
  if (isHolding) held.push(response)
  else response.writeHead(429).end()
}

/** Something listens there; closed with the test file. */
async function listen(server: {
  listen: (port: number, host: string, done: () => void) => unknown
  address: () => unknown
}) {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

/** The page as the server sends it, of the view at hand. */
const site = createServer((request, response) => {
  const [path = ''] = (request.url ?? '').split('?', 1)
  const file = files.get(path.split('/').at(-1) ?? '')
  response.setHeader('content-security-policy', policy)
  response.setHeader('content-type', file?.type ?? 'text/html; charset=utf-8')
  if (file) return response.end(file.bytes)
  if (path === '/page') return response.end(drawPage(view, assets))
  if (path.endsWith('/code')) return response.end(drawCodePage(view, { isWrong: path.includes('wrong') }, assets))
  if (path === '/fault') return response.end(drawFault('Too many sign-ins', 'Wait 10 minutes.', assets, view))
  if (path === '/signin/return') return response.end(drawReturnPage(assets))
  told.push(`${request.method} ${path.split('/').at(-1)}`)
  if (path.endsWith('/region')) return response.end(drawRegion(view))
  if (path.endsWith('/news')) return hold(response)
  if (path.endsWith('/proof')) view = signInViews['passed'] as PageView
  if (request.method === 'GET') return response.end(drawPage(view, assets))
  response.end(JSON.stringify({ challenge: 'a-challenge' }))
})

before(async () => {
  if (skip !== false) return
  browser = await launchBrowser()
  origin = `http://127.0.0.1:${await listen(site)}`
})
after(async () => {
  await browser?.close()
  site.close()
  site.closeAllConnections()
})

async function openPage(options: { width?: number; height?: number; isAllowed?: boolean } = {}): Promise<Page> {
  const { width = 1120, height = 800, isAllowed = true } = options
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' })
  context.setDefaultTimeout(deadlineMs)
  if (isAllowed) await context.grantPermissions(['local-network-access'])
  const page = await context.newPage()
  // The application's address leads nowhere here: the page stays.
  await page.addInitScript((id) => sessionStorage.setItem(`left ${id}`, '3'), signInViews['looking']?.id ?? '')
  await page.addInitScript((id) => sessionStorage.setItem(`late ${id}`, '1'), signInViews['looking']?.id ?? '')
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!/^http:\/\/127\.0\.0\.1:/.test(request.url())) faults.push(request.url())
  })
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text())
  })
  return page
}

async function open(page: Page, next: PageView): Promise<void> {
  view = next
  told.length = 0
  await page.goto(`${origin}/page`, { waitUntil: 'commit' })
}

/** As `open`, once everything has faded in. */
async function show(page: Page, next: PageView): Promise<void> {
  await open(page, next)
  await page.waitForLoadState()
  await page.evaluate(async () => {
    const fading = document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations === 1)
    await Promise.all(fading.map((one) => one.finished.catch(() => {})))
  })
}

async function violations(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await runAxe(page)).map((one) => `${colorScheme} ${one}`))
  }
  return found
}

const isSideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('axe finds nothing in any state, in light and in dark', { skip }, async () => {
  const page = await openPage()
  for (const [name, next] of Object.entries(signInViews)) {
    await show(page, next)
    for (const details of await page.locator('details:not([open]) > summary').all()) {
      if (await details.isVisible()) await details.click()
    }
    assert.deepEqual(await violations(page), [], name)
  }
  await page.goto(`${origin}/fault`)
  await page.getByRole('link', { name: 'Open Payroll again' }).waitFor()
  assert.deepEqual(await violations(page), [], 'a fault')
  await page.goBack()
  await page.getByRole('button', { name: 'Get help' }).click()
  assert.deepEqual(await violations(page), [], 'help')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'What is checked' }).click()
  assert.deepEqual(await violations(page), [], 'what is checked')
  await page.context().close()
  assert.deepEqual(faults, [])
})

test('320 pixels are enough, also for text that is a third longer and at four times its size', { skip }, async () => {
  for (const [width, height] of [
    [320, 640],
    [280, 200],
  ] as const) {
    const page = await openPage({ width, height })
    for (const [name, next] of Object.entries(signInViews)) {
      const long = `${next.applicationName} of the Company for Precision Instruments`
      await show(page, {
        ...next,
        applicationName: long,
        deviceName: next.deviceName && `${next.deviceName}-`.repeat(8),
        mail: next.mail && `${'ana.ruiz.'.repeat(8)}${next.mail}`,
      })
      for (const details of await page.locator('details:not([open]) > summary').all()) {
        if (await details.isVisible()) await details.click()
      }
      assert.equal(await isSideways(page), 0, `${name} at ${width}`)
    }
    await page.context().close()
  }
})

test('texts of devices, checks and people are shown as text, whatever they are', { skip }, async () => {
  assert.equal(new Set(hostilePayloads).size, 200)
  const page = await openPage()
  const blocked = signInViews['blocked'] as PageView
  for (let first = 0; first < hostilePayloads.length; first += 8) {
    const texts = hostilePayloads.slice(first, first + 8)
    const [a = '', b = '', c = '', d = '', e = '', f = '', g = '', h = ''] = texts
    const things = blocked.things.map((thing) => ({
      ...thing,
      title: a,
      rows: { columns: [b], rows: [[c]] },
      exemption: { kind: 'refused', words: d } as const,
    }))
    const request = { at: view?.now ?? blocked.now, message: a, words: b }
    await show(page, { ...blocked, things, applicationName: e, deviceName: f, personName: g, organizationName: h })
    const shown = await page.locator('body').textContent()
    const visible = texts.map((text) => visibleText(text))
    for (const text of visible) assert.ok(shown?.includes(text), text)
    await show(page, { ...blocked, state: 'denied', request, applicationName: c, deviceName: d, model: e })
    assert.equal(await page.evaluate(() => 'struck' in globalThis), false)
  }
  await page.context().close()
  assert.deepEqual(faults, [])
})

test('a keyboard reaches everything in the order of the page, and a new state has the focus at its title', {
  skip,
}, async () => {
  const page = await openPage()
  const blocked = signInViews['blocked'] as PageView
  await show(page, { ...blocked, things: blocked.things.slice(0, 1) })
  const names: string[] = []
  for (let count = 0; count < 9; count += 1) {
    await page.keyboard.press('Tab')
    names.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''))
  }
  assert.deepEqual(names, [
    'The firewall is off',
    'Copy',
    'Another system',
    'Snooze for 24 hours',
    'Ask for an exemption…',
    'Check again',
    'What is checked',
    'Get help',
    names.at(-1),
  ])
  view = signInViews['passed'] as PageView
  await page.getByRole('heading', { level: 1, name: 'You’re in' }).waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1')
  assert.equal(await page.title(), 'You’re in · Payroll')
  await page.getByRole('link', { name: 'Open Payroll now' }).waitFor()
  await page.context().close()
})

test('the end of the wait is told once, two minutes before', { skip }, async () => {
  const page = await openPage()
  await show(page, { ...(signInViews['blocked'] as PageView), now: '2026-11-20T20:49:30.000Z' })
  await page
    .getByText(/^Payroll stops waiting at \d+:\d\d/)
    .first()
    .waitFor()
  assert.match((await page.locator('#news').textContent()) ?? '', /^Payroll stops waiting at/)
  await page.context().close()
})

test('news come by a request that the server holds, else by asking', { skip }, async () => {
  const page = await openPage()
  isHolding = true
  await show(page, signInViews['awaiting'] as PageView)
  await until(deadlineMs, () => Promise.resolve(held.length === 1))
  assert.equal(told.includes('GET region'), false)
  view = signInViews['denied'] as PageView
  held.at(-1)?.end('{"mark":"4"}')
  await page.getByRole('heading', { level: 1, name: 'IT said no to this Mac' }).waitFor()
  await until(deadlineMs, () => Promise.resolve(held.length === 2))
  isHolding = false
  for (const response of held) response.destroy()
  view = signInViews['register'] as PageView
  await page.getByRole('heading', { level: 1, name: 'Register this Mac to ana.ruiz@halden.example?' }).waitFor()
  await page.context().close()
})

test('nobody waits on a page that is not seen; it shows the news when it is', { skip }, async () => {
  const page = await openPage()
  isHolding = true
  held.length = 0
  await show(page, signInViews['awaiting'] as PageView)
  await until(deadlineMs, () => Promise.resolve(held.length === 1))
  const turn = (state: string) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await turn('hidden')
  await until(deadlineMs, () => Promise.resolve(held[0]?.destroyed === true))
  assert.equal(held.length, 1)
  await turn('visible')
  await until(deadlineMs, () => Promise.resolve(held.length === 2))
  isHolding = false
  for (const response of held) response.destroy()
  await page.context().close()
})

/** An agent as far as the page sees one. */
const agent = createServer((request, response) => {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-allow-headers', 'content-type')
  if (request.url?.startsWith('/v1/return?c=a-challenge')) {
    response.writeHead(303, { location: `${origin}/signin/return#proof=a-proof` }).end()
  } else if (request.url === '/v1/attest' && request.method === 'POST') response.end('{"proof":"a-proof"}')
  else response.writeHead(204).end()
})
/** Takes connections and says nothing. */
const silent = createListener(() => {})
after(() => {
  agent.closeAllConnections()
  agent.close()
  silent.close()
})

test('a browser that reached an agent just now goes there by itself; a fetch is not tried', { skip }, async () => {
  const page = await openPage({ isAllowed: false })
  const port = await listen(agent)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await open(page, { ...(signInViews['looking'] as PageView), ports: [port], bouncePort: port })
  await page.getByRole('heading', { level: 1, name: 'You’re in' }).waitFor()
  assert.equal(
    asked.some((url) => url.endsWith('/v1/hello')),
    false,
  )
  assert.equal(asked.filter((url) => url.includes('/v1/return?c=')).length, 1)
  // A port that says nothing holds up neither an answer nor a reason.
  const dead = await listen(silent)
  const granted = await openPage()
  await open(granted, { ...(signInViews['looking'] as PageView), ports: [dead, port] })
  await granted.getByRole('heading', { level: 1, name: 'You’re in' }).waitFor()
  await open(granted, { ...(signInViews['looking'] as PageView), ports: [dead] })
  await until(deadlineMs, () => Promise.resolve(told.includes('POST undetected')))
  await page.context().close()
  await granted.context().close()
})

test('the form for a code from IT needs no script, fits a phone and has no faults', { skip }, async () => {
  const page = await openPage({ width: 320, height: 640 })
  view = signInViews['code-waits'] as PageView
  view = { ...view, code: { isGiven: true, triesLeft: 4, reason: null, endsAt: null } }
  for (const path of ['code', 'wrong/code']) {
    await page.goto(`${origin}/signin/${path}`)
    await page.getByRole('heading', { name: 'Enter your code from IT' }).waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    assert.deepEqual(await violations(page), [], path)
  }
  await page.getByText('That code doesn’t match. 4 tries left.').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'code')
  await page.context().close()
})
