import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BrowserContext, Locator, Page, Request } from 'playwright-core'
import { until } from '../../server/test/support/muster-process.ts'
import { openReads, type Reads } from './answered-reads.ts'
import { type ConsoleInBrowser, deadlineMs, lackOfBrowser as skip, untilDrawn, untilIdle } from './browser.ts'
import { everyAddress, makeRecords, settings } from './every-address.ts'
import { keepPicture } from './keep-pictures.ts'
import { faultsOnPhone, violations } from './look.ts'
import { openSignedIn } from './open-signed-in.ts'
import { visitAddress } from './visit-address.ts'

const atOnce = 4
const timeout = 900_000

let opened: ConsoleInBrowser
let base: string
let addresses: string[] = []
let contexts: BrowserContext[] = []
const thrown: string[] = []

before(async () => {
  if (skip !== false) return
  opened = await openSignedIn(12, settings)
  base = `${opened.trial.baseUrl}/console`
  addresses = await everyAddress(opened.page, await makeRecords(opened))
  const storageState = await opened.page.context().storageState()
  // A context each: a page keeps a connection open, and a browser has six of them to a server.
  contexts = await Promise.all(
    Array.from({ length: atOnce }, () =>
      opened.browser.newContext({ viewport: { width: 1440, height: 900 }, storageState }),
    ),
  )
  for (const context of contexts) context.setDefaultTimeout(deadlineMs)
})

after(() => opened?.stop())

/** What is wrong on the pages of the addresses, which are looked at some at a time. */
async function walk(
  paths: readonly string[],
  look: (page: Page, path: string, reads: Reads) => Promise<readonly (string | false)[]>,
): Promise<string[]> {
  const waiting = [...paths]
  const complaints: string[] = []
  // One page for all of a context's addresses: a page of its own for each would cost a process each.
  const work = async (context: BrowserContext) => {
    const page = await context.newPage()
    const reads = await openReads(page)
    let where = ''
    page.on('pageerror', (error) => thrown.push(`${where}: ${error.message}`))
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      where = path
      const found = await look(page, path, reads).catch((error: unknown) => [String(error).split('\n', 1)[0] ?? ''])
      complaints.push(...found.filter((text) => text !== false).map((text) => `${where}: ${text}`))
      await reads.letThrough()
    }
    await page.close()
  }
  await Promise.all(contexts.map(work))
  return complaints.sort()
}

/** What the frame around the pages asks for, and what a page is whole without. */
const besides = /\/console\/api\/(session$|session\/options|live|views\/(waiting_requests|saved_views|\w+_count))/

/** Asks again for all that has failed, also for what fails only meanwhile, until nothing has. */
const tryAgain = (page: Page, alert: Locator): Promise<boolean> =>
  until(deadlineMs, async () => {
    for (const button of await page.locator('main').getByRole('button', { name: 'Try again' }).all()) {
      await button.click({ timeout: 500 }).catch(() => {})
    }
    return (await alert.count()) === 0
  }).then(
    () => true,
    () => false,
  )

const heading = (page: Page) => page.locator('h1').first()

/** The page is whole, whatever the frame around it still waits for. */
async function drawn(page: Page): Promise<void> {
  await heading(page).waitFor()
  await page.locator('.skeletons').first().waitFor({ state: 'detached' })
  await untilDrawn(page)
}

async function loaded(page: Page): Promise<void> {
  await untilIdle(page)
  await drawn(page)
}

/** What is wider than the page, beyond what scrolls by itself. */
async function overflow(page: Page, width: number): Promise<string | false> {
  await page.setViewportSize({ width, height: 700 })
  await untilDrawn(page)
  return page.evaluate((wanted) => {
    if (document.documentElement.scrollWidth <= innerWidth) return false
    const scrolls = (element: Element): boolean =>
      element.parentElement !== null &&
      (getComputedStyle(element.parentElement).overflowX !== 'visible' || scrolls(element.parentElement))
    const wide = [...document.querySelectorAll('main *')].find(
      (element) => element.getBoundingClientRect().right > innerWidth + 0.5 && !scrolls(element),
    )
    return `at ${wanted} px it is ${document.documentElement.scrollWidth} px wide, by ${wide?.outerHTML.slice(0, 120)}`
  }, width)
}

/** Whether the page, whose reads wait for an answer, shows that it waits and does not give up. */
async function complaintsOfWaiting(page: Page): Promise<(string | false)[]> {
  await page.locator('main').first().waitFor()
  const isWaiting = await page
    .locator('h1:not(:empty), .skeletons')
    .first()
    .waitFor()
    .then(
      () => true,
      () => false,
    )
  const hasGivenUp = (await page.locator('main [role=alert]').filter({ hasText: /\w/ }).count()) > 0
  return [!isWaiting && 'it is blank while it waits', hasGivenUp && 'it has given up']
}

/** Whether the page, whose reads are refused, says why, and is whole after trying again. */
async function complaintsOfRefusal(page: Page, reads: Reads): Promise<(string | false)[]> {
  const alert = page.locator('main [role=alert]').filter({ hasText: 'The database is away.' })
  const isSaid = await alert
    .first()
    .waitFor({ timeout: 120_000 })
    .then(
      () => true,
      () => false,
    )
  if (!isSaid) return ['it does not say what has failed']
  const words = (await alert.first().textContent()) ?? ''
  await reads.letThrough()
  const isMended = await tryAgain(page, alert)
  return [
    !words.includes('req-of-the-test') && `the request is not named: ${words}`,
    !isMended && 'trying again does not mend it',
    ((await heading(page).textContent()) ?? '') === '' && 'it has no head afterwards',
  ]
}

test('every page waits for the server, says why it refuses, is mended by trying again, has a title, fits, and axe finds nothing', {
  skip,
  timeout,
}, async () => {
  assert.ok(addresses.length > 55, addresses.join(' '))
  const titles = new Map<string, string>()
  const reading = new Set<string>()
  const body = { error: 'unavailable', message: 'The database is away.', errors: [] }
  const complaints = await walk(addresses, async (page, path, reads) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    const waited = Promise.withResolvers<void>()
    const refusal = { status: 503, json: body, headers: { 'x-request-id': 'req-of-the-test' } }
    await reads.answer(({ method, pathname }) => {
      if (besides.test(pathname) || method !== 'GET') return
      reading.add(path)
      return waited.promise.then(() => refusal)
    })
    // At its address, as by a link from elsewhere.
    await page.goto(base + path)
    const found = await complaintsOfWaiting(page)
    waited.resolve()
    if (reading.has(path)) found.push(...(await complaintsOfRefusal(page, reads)))
    await loaded(page)
    const title = await page.title()
    titles.set(path, title)
    found.push(!/^\S.* · Muster$/.test(title) && `the title is “${title}”`)
    found.push(...(await violations(page)))
    await keepPicture(page, path)
    found.push(...(await faultsOnPhone(page)))
    await keepPicture(page, path, 'dark')
    // Half the width at twice the size, and a smaller phone.
    for (const width of [720, 320]) found.push(await overflow(page, width))
    return found
  })
  assert.deepEqual(complaints, [])
  assert.ok(reading.size > 55, [...reading].join(' '))
  const device = addresses.find((path) => /^\/devices\/\d+$/.test(path)) ?? ''
  assert.match(titles.get(device) ?? '', /^\S.* · Devices · Muster$/)
})

/** What adds to a page that says all it has to without it: names beside an identifier, counts on tabs, days of retention. */
const ornaments = /\/(saved_views\/\w+|people\/\d+|person_groups|settings|times|summary|device_groups)$/
const withPanels =
  /^\/$|^\/(devices|checks|people|checks\/drafts|reporting\/queries)\/\d+(\/configuration)?$|\/(streams|webhooks)\/\d+$/

test('where one read of a page fails alone, its panel says so', { skip, timeout }, async () => {
  const pages = addresses.filter((path) => withPanels.test(path))
  assert.ok(pages.length >= 9, pages.join(' '))
  const complaints = await walk(pages, async (page, path, reads) => {
    const asked = new Set<string>()
    const note = (request: Request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/console/api/') && !besides.test(pathname)) asked.add(pathname)
    }
    page.on('request', note)
    await visitAddress(page, base + path)
    await loaded(page)
    page.off('request', note)
    const each = [...asked].filter((one) => path === '/' || !ornaments.test(one))
    assert.ok(each.length > 0)
    const found: string[] = []
    for (const one of each) {
      await reads.answer(({ pathname }) => (pathname === one ? Promise.resolve({ status: 503, json: {} }) : undefined))
      await visitAddress(page, base + path)
      const alert = page.locator('main [role=alert]').filter({ hasText: 'could not be' }).first()
      const isSaid = await alert.waitFor({ timeout: 120_000 }).then(
        () => true,
        () => false,
      )
      if (!isSaid) found.push(`nothing is said of ${one}`)
      await reads.letThrough()
    }
    return found
  })
  assert.deepEqual(complaints, [])
})

test('saved views that cannot be read are asked for three times, and then not by themselves', { skip }, async () => {
  const complaints = await walk(['/issues', '/audit'], async (page, path, reads) => {
    let asked = 0
    await reads.answer(({ pathname }) => {
      if (!pathname.includes('/saved_views/')) return
      asked += 1
      return Promise.resolve({ status: 503, json: {} })
    })
    await visitAddress(page, base + path)
    await page.getByRole('button', { name: 'Saved views could not be loaded. Try again' }).waitFor()
    await loaded(page)
    return [asked !== 3 && `they are asked for ${asked} times`]
  })
  assert.deepEqual(complaints, [])
})

test('what is shown stays, and says how old it is, while the connection is lost', { skip, timeout }, async () => {
  const shown = ['/', '/devices', '/issues', '/checks', '/audit', '/live-queries']
  const complaints = await walk(shown, async (page, path) => {
    await visitAddress(page, base + path)
    await loaded(page)
    const before = await page.locator('main table').first().textContent()
    await page.context().setOffline(true)
    await page.getByText(/Live updates stopped \d+ s ago/).waitFor({ timeout: 120_000 })
    const after = await page.locator('main table').first().textContent()
    await page.context().setOffline(false)
    await page.getByText(/Live updates stopped/).waitFor({ state: 'detached', timeout: 120_000 })
    return [(before ?? '').slice(0, 12) !== (after ?? '').slice(0, 12) && 'the rows are gone']
  })
  assert.deepEqual(complaints, [])
})

test('nothing is thrown on any page, whatever the server does', { skip }, () => {
  assert.deepEqual(thrown, [])
  assert.deepEqual(opened?.faults, [])
})
