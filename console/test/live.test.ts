import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { adminPassword, askAsPage, type ConsoleInBrowser, lackOfBrowser as skip } from './browser.ts'
import { openSignedIn } from './open-signed-in.ts'

let opened: ConsoleInBrowser
let page: Page
let base: string
/** Of someone else, in a browser of their own. */
let others: Page

before(async () => {
  if (skip !== false) return
  opened = await openSignedIn(12)
  page = opened.page
  base = `${opened.trial.baseUrl}/console`
  others = await (await opened.browser.newContext()).newPage()
  await others.goto(`${base}/sign-in`)
  await others.getByLabel('E-mail').fill('mira@halden.example')
  await others.locator('input[name=password]').fill(adminPassword)
  await others.getByRole('button', { name: 'Sign in', exact: true }).click()
  await others.getByText('enrolled').first().waitFor()
  // Nothing of what it shows is of interest here.
  await others.goto(`${base}/settings/privacy`)
})

after(() => opened?.stop())

const rename = async (name: string) => {
  const { body } = await askAsPage(others, 'GET', '/devices?per_page=1')
  const { status } = await askAsPage(others, 'PATCH', `/devices/${body.data[0].id}`, { name })
  assert.equal(status, 200)
}

const ask = async (name: string) => {
  const campaign = { name, sql: 'select pid from processes', target_all_devices: true }
  const { status, body: answer } = await askAsPage(others, 'POST', '/live_query_campaigns', campaign)
  assert.equal(status, 200, JSON.stringify(answer))
}

/** What the page shows while changes cannot be heard of, each way by which they may not be. */
async function assertStaysFresh(word: string): Promise<void> {
  await page.goto(`${base}/devices`)
  await page.locator('[data-row-link]').first().waitFor()
  await rename(`renamed-${word}`)
  // The lists ask by themselves only every 30 seconds.
  await page.getByText(`renamed-${word}`).waitFor({ timeout: 25_000 })
  await page.getByText(/Live updates stopped \d+ s ago/).waitFor({ timeout: 120_000 })
  await page.goto(`${base}/live-queries`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await ask(`asked-${word}`)
  await page.getByText(`asked-${word}`).waitFor({ timeout: 25_000 })
}

test('someone else’s live query shows up in the list by itself, at once', { skip }, async () => {
  await page.goto(`${base}/live-queries`)
  await page.getByText('No live queries yet.').waitFor()
  await ask('asked-live')
  await page.getByText('asked-live').waitFor({ timeout: 25_000 })
})

test('pages stay fresh where the stream of changes is refused', { skip }, async () => {
  await page.route('**/console/api/live', (route) => route.abort())
  await assertStaysFresh('refused')
  await page.unroute('**/console/api/live')
})

test('pages stay fresh where a proxy holds back what is sent', { skip }, async (t) => {
  const holding = await holdingServer()
  t.after(holding.stop)
  await page.route('**/console/api/live', (route) => route.continue({ url: holding.url }))
  await assertStaysFresh('held')
  await page.unroute('**/console/api/live')
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await ask('asked-again')
  await page.getByText('asked-again').waitFor({ timeout: 25_000 })
  assert.equal(await page.getByText(/Live updates stopped/).count(), 0)
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened.faults, [])
})

/** Begins the answer as the server does, and passes nothing on. */
async function holdingServer() {
  const held: Server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
  })
  await new Promise<void>((resolve) => held.listen(0, '127.0.0.1', resolve))
  const address = held.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const stop = () => {
    held.closeAllConnections()
    held.close()
  }
  return { url: `http://localhost:${port}/live`, stop }
}
