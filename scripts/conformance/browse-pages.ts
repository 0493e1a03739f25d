import { setTimeout as pause } from 'node:timers/promises'
import { type openChromium, setLoopback } from '../../server/test/strangers/chromium.ts'
import { account, type OpenedProvider } from './open-provider.ts'
import type { LogEntry } from './results.ts'
import type { SuiteApi, SuitePage } from './suite-api.ts'

type Browser = Awaited<ReturnType<typeof openChromium>>
type BrowserContext = Awaited<ReturnType<Browser['newContext']>>
type Page = Awaited<ReturnType<BrowserContext['newPage']>>

/** A page that does not change for so long is where a visit ends. */
const stillMs = 5_000
const visitLimitMs = 60_000

/** One browser for a module, in which a person signs in as often as it asks for. */
export async function browserOfModule(browser: Browser, suite: SuiteApi, provider: OpenedProvider) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  const first = await context.newPage()
  await setLoopback(context, first, provider.origin, 'granted')
  let seen: Buffer = Buffer.alloc(0)
  let asked: ReadonlySet<string> = new Set()

  /** Opens what the module waits for, and shows it what a person saw where it asks for that. */
  async function look(id: string): Promise<void> {
    const placeholders = asksForPictures(await suite.log(id))
    // What is asked for in the same moment as a page is a picture of that page.
    const ripe = placeholders.filter((placeholder) => asked.has(placeholder))
    asked = new Set(placeholders)
    for (const page of await suite.pages(id)) {
      await suite.visited(id, page)
      seen = await visit(context, provider, page)
    }
    for (const placeholder of ripe) await suite.show(id, placeholder, seen)
  }

  return { look, close: () => context.close() }
}

/** Entries that wait for a picture. */
export const asksForPictures = (log: readonly LogEntry[]): string[] =>
  log.flatMap(({ upload, img }) => (typeof upload === 'string' && img === undefined ? [upload] : []))

/**
 * A tab that opens a page and goes where it leads, until it stays somewhere. Resolves to a picture of what the person was asked
 * there, which is the page that asks who they are, or else of where it stayed.
 */
async function visit(context: BrowserContext, provider: OpenedProvider, { url, method }: SuitePage): Promise<Buffer> {
  const page = await context.newPage()
  const opened = method === 'POST' ? post(page, url) : page.goto(url, { waitUntil: 'commit' })
  await opened.catch((error: Error) => {
    if (!error.message.includes('interrupted by another navigation')) throw error
  })
  let asked: Buffer | undefined
  const startedAt = performance.now()
  for (let [before, stillSince] = ['', startedAt]; performance.now() - startedAt < visitLimitMs; await pause(200)) {
    const picture = await signInUpstream(page, provider)
    asked ??= picture
    if (picture) continue
    const now = page.url()
    if (now !== before) [before, stillSince] = [now, performance.now()]
    const isBack = !now.startsWith(provider.origin) && !now.startsWith(provider.upstream)
    if (performance.now() - stillSince > (isBack ? stillMs / 5 : stillMs)) break
  }
  return asked ?? (await page.screenshot())
}

/** As the suite's own pages send it, from another site. */
async function post(page: Page, address: string): Promise<void> {
  const { origin, pathname, searchParams } = new URL(address)
  await page.goto('about:blank')
  await page.evaluate(
    `((action, fields) => {
      const form = Object.assign(document.createElement('form'), { action, method: 'post' })
      for (const [name, value] of fields)
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
      document.body.append(form)
      form.submit()
    })(${JSON.stringify(`${origin}${pathname}`)}, ${JSON.stringify([...searchParams])})`,
  )
}

/** Signs in where the tab is at the upstream; resolves to a picture of what was asked there. */
async function signInUpstream(page: Page, { upstream }: OpenedProvider): Promise<Buffer | undefined> {
  if (!page.url().startsWith(upstream)) return undefined
  const name = page.locator('input[name="login"]')
  try {
    const picture = await page.screenshot()
    if ((await name.count()) > 0) {
      await name.fill(account)
      await page.fill('input[name="password"]', 'any')
    }
    await page.click('button[type="submit"]', { timeout: 5_000 })
    return picture
  } catch {
    // It has gone on meanwhile.
    return undefined
  }
}
