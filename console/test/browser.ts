import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page, type Request } from 'playwright-core'
import { sharedProcess } from '../../scripts/test-run/shared-process.ts'
import { until } from '../../server/test/support/muster-process.ts'
import { startTrial, type TrialParts, type TrialServer } from './trial-server.ts'

/** The shell comes first: it has no window, whose parts cost a browser two more processes for each page. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const executablePath = places.find((path) => existsSync(path))
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages of a test are open for seconds: what V8 optimizes in them costs more than it saves, a fifth of the whole.
  '--js-flags=--no-opt --no-maglev',
]

/** On a machine that is busy with other work; a calm one needs a hundredth of it. */
export const deadlineMs = 120_000

/** For the `skip` of tests in a browser: false, or why there is none. */
export const lackOfBrowser =
  executablePath === undefined && 'no Chromium is installed: apt install chromium-headless-shell'

/** What each page has asked for and not been answered. */
const unanswered = new WeakMap<Page, Set<Request>>()

function followRequests(page: Page): void {
  const asked = new Set<Request>()
  unanswered.set(page, asked)
  // The stream of changes stays open.
  page.on('request', (request) => request.url().endsWith('/console/api/live') || asked.add(request))
  page.on('requestfinished', (request) => asked.delete(request))
  page.on('requestfailed', (request) => asked.delete(request))
}

/** A browser with nothing open in it. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const path = executablePath === undefined ? {} : { executablePath }
  const browser = await chromium.launch({ ...path, args: [...args, ...more] })
  browser.on('context', (context) => context.on('page', followRequests))
  return browser
}

/** What has happened in the page so far is drawn. */
export const untilDrawn = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
  })

/**
 * The page shows what it has asked for: it is not busy reading something for the first time, and every request is answered.
 * An answer may make it ask for more, which it has begun two frames later.
 */
export async function untilIdle(page: Page): Promise<void> {
  const asked = unanswered.get(page) ?? new Set()
  await page.locator('main').first().waitFor()
  do {
    const before = [...asked]
    await until(deadlineMs, async () => !before.some((request) => asked.has(request)), 10)
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    await untilDrawn(page)
  } while (asked.size > 0)
}

export const adminPassword = 'a long walk at dusk'

export type ConsoleInBrowser = {
  readonly trial: TrialServer
  readonly browser: Browser
  readonly page: Page
  /** Errors of scripts, and breaches of the content security policy or of trusted types. */
  readonly faults: readonly string[]
  /** Closes what is open in the browser; a server of another kind takes the place of its own. */
  close(): Promise<void>
  stop(): Promise<void>
}

type Opened = Pick<ConsoleInBrowser, 'browser' | 'page' | 'faults' | 'close'>

let ofProcess: Promise<Browser> | undefined

/** Files that share a process share its browser, in which each has contexts of its own. */
function takeBrowser(): Promise<Browser> {
  if (!sharedProcess.isShared) return launchBrowser()
  if (!ofProcess) {
    ofProcess = launchBrowser()
    sharedProcess.closeAtEnd.push(async () => (await ofProcess)?.close())
  }
  return ofProcess
}

async function giveBack(browser: Browser): Promise<void> {
  if (!sharedProcess.isShared) await browser.close()
  else await Promise.all(browser.contexts().map((context) => context.close()))
}

/**
 * A browser with no server of its own.
 * @public
 */
export async function openBrowser(): Promise<Opened> {
  const browser = await takeBrowser()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(deadlineMs)
  const faults: string[] = []
  context.on('weberror', (error) => faults.push(error.error().message))
  context.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|Trusted Type/i.test(message.text())) faults.push(message.text())
  })
  return { browser, page: await context.newPage(), faults, close: () => giveBack(browser) }
}

/** A server with simulated devices, and a page of 1440 × 900 that is not signed in. */
export async function openConsole(devices: number, parts?: TrialParts): Promise<ConsoleInBrowser> {
  const trial = await startTrial(devices, parts)
  const browser = await openBrowser()
  const stop = async () => {
    await browser.close()
    await trial.stop()
  }
  return { trial, ...browser, stop }
}

/**
 * Makes the first administrator, Mira, by the link of the first start, and ends on the dashboard.
 * @public
 */
export async function setUpAdmin({ page, trial }: ConsoleInBrowser): Promise<void> {
  await page.goto(trial.setupLink)
  await page.getByLabel('First name').fill('Mira')
  await page.getByLabel('E-mail').fill('mira@halden.example')
  await page.locator('input[name=password]').fill(adminPassword)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('link', { name: 'Later' }).click()
  await page.getByText('enrolled').first().waitFor()
}

/**
 * Toasts of the page stay until it is left. They go after ten seconds, which on a busy machine pass between what a test waits for and
 * its press of "Undo". Nothing else in the page waits as long by `setTimeout` and is missed.
 */
export const keepToasts = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const later = window.setTimeout
    const unlessLong = (run: () => void, ms?: number, ...rest: unknown[]) =>
      ms !== undefined && ms >= 10_000 ? 0 : later(run, ms, ...rest)
    window.setTimeout = unlessLong as typeof window.setTimeout
    Object.assign(window, { hasKeptToasts: true })
  })

/** A request as the pages make theirs: with the cookie and the token of the session. */
export const askAsPage = (page: Page, method: string, path: string, body?: object) =>
  page.evaluate(
    async ([how, where, json]) => {
      const session = await (await fetch('/console/api/session')).json()
      const headers = {
        'x-muster-csrf': session.csrf_token as string,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      }
      const init = json === undefined ? { method: how, headers } : { method: how, headers, body: json }
      const answer = await fetch(`/console/api${where}`, init)
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  )
