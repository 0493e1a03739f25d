import assert from 'node:assert/strict'
import { request as ask, createServer } from 'node:http'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { lackOfBrowser as skip } from './browser.ts'
import { signInStage, untilInApp } from './sign-in-stage.ts'

const { stage, setUp, startAgent, agentPorts, origin } = signInStage()

const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const says = (page: Page, text: string) => page.getByText(text).waitFor()
const failures = async () =>
  (
    await stage.db
      .selectFrom('auth_log_events')
      .select('description')
      .where('type', '=', 'agent_detection_failure')
      .orderBy('position')
      .execute()
  ).map(({ description }) => description)

/** The server has heard of the person's agent just now, as of one that runs. */
const hearOfAgent = () =>
  stage.db
    .updateTable('companion_keys')
    .set({ port: agentPorts[0] ?? 0, last_contact_at: stage.now() })
    .execute()

test('a browser that is offline says so, and looks again once it is back', { skip }, async () => {
  for (const permission of ['granted', 'prompt'] as const) {
    const { page, context, key, arrive } = await setUp({ permission })
    await arrive()
    await title(page, permission === 'granted' ? 'Checking this computer' : 'Chrome will ask you once')
    await context.setOffline(true)
    await title(page, 'This computer is offline')
    await startAgent(key)
    await context.setOffline(false)
    if (permission === 'granted') await untilInApp(page)
    else await title(page, 'Chrome will ask you once')
  }
})

test('what the browser will ask stays on the page where a lost connection turns out to be none', { skip }, async () => {
  const { page, arrive } = await setUp({ permission: 'prompt' })
  await arrive()
  await title(page, 'Chrome will ask you once')
  const read = page.waitForResponse(/\/region$/)
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await (await read).finished()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Chrome will ask you once')
})

test('an add-on that blocks the question: the page says that Muster runs, and the other way names the add-on in the log', {
  skip,
}, async () => {
  const { page, key, arrive } = await setUp()
  await startAgent(key)
  await hearOfAgent()
  // As a filter for local addresses does: of requests of pages, not of addresses that the tab goes to.
  await page.route(/^http:\/\/127\.0\.0\.1:\d+\/v1\//, (route) =>
    route.request().isNavigationRequest() ? route.continue() : route.abort('blockedbyclient'),
  )
  await arrive()
  await says(page, 'It is running on ana-x1, but this page can’t reach it.')
  await page.getByRole('button', { name: 'Use the other way' }).click()
  await untilInApp(page)
  assert.deepEqual(await failures(), [
    'No agent answered.',
    'An extension of the browser stops the question to the agent.',
  ])
})

test('an agent that is turned off is told by when it was last heard of', { skip }, async () => {
  const { page, arrive, device, organizationId } = await setUp()
  const at = new Date(Date.parse(stage.now()) - 3 * 3_600_000).toISOString()
  await stage.db
    .insertInto('device_presence')
    .values({ organization_id: organizationId, device_id: device.id, last_seen_at: at })
    .execute()
  await stage.db
    .updateTable('companion_keys')
    .set({ port: agentPorts[0] ?? 0, last_contact_at: at })
    .execute()
  await arrive()
  await says(page, 'It stopped on ana-x1: last heard of')
})

test('a proxy that takes the addresses of this computer is named', { skip }, async () => {
  const proxy = createServer((request, response) => {
    if (!request.url?.startsWith(origin)) return void response.writeHead(502).end()
    const { method = 'GET', headers, url } = request
    const passed = ask(new URL(url, origin), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const server = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  try {
    const { page, key, arrive } = await setUp({ browser: { proxy: { server, bypass: '<-loopback>' } } })
    await startAgent(key)
    await arrive()
    await says(page, 'A proxy setting sends the question away from this computer.')
  } finally {
    proxy.close()
    proxy.closeAllConnections()
  }
})

const phone =
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36'
const webView =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; WebView/3.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/64.0 Safari/537.36 Edge/18'

test('a phone is told at once that Muster does not run on it', { skip }, async () => {
  const { page, arrive, asked } = await setUp({ browser: { userAgent: phone } })
  await arrive()
  await title(page, 'Muster isn’t answering on this device')
  await says(page, 'Muster doesn’t run on Android.')
  await says(page, 'Open Payroll there.')
  assert.deepEqual(asked, [])
  assert.deepEqual(await failures(), ['The browser cannot ask the agent.'])
})

test('a window within another app is named', { skip }, async () => {
  const { page, arrive } = await setUp({ browser: { userAgent: webView } })
  await arrive()
  await says(page, 'This window is part of another app, and can’t ask the Muster app on this PC.')
})

const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15'

async function setUpSafari() {
  const all = await setUp({ browser: { userAgent: safari } })
  await all.page.addInitScript(() => {
    navigator.permissions.query = () => Promise.reject(new TypeError('unknown'))
  })
  return all
}

test('a browser without the permission’s name, as Safari, is named where the Mac has a companion', {
  skip,
}, async () => {
  const { page, arrive } = await setUpSafari()
  await stage.db.updateTable('devices').set({ device_type: 'Mac' }).execute()
  await hearOfAgent()
  await arrive()
  await says(page, 'Safari can’t ask apps on this Mac.')
})

test('a Mac without a companion is told that there is none for it, and of no other way', { skip }, async () => {
  const { page, arrive } = await setUpSafari()
  await arrive()
  await title(page, 'There’s no Muster app for macOS yet')
  await says(page, 'You have a computer with Linux')
  assert.equal(await page.getByRole('button', { name: 'Use the other way' }).count(), 0)
})
