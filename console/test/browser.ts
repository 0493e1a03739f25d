import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
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
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

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
 * Nothing fades in or out anymore: what is half there has half its contrast. A menu that has just opened begins to fade in
 * some frames later, so the page must also have been still for several.
 */
const settled = (page: Page) =>
  page.evaluate(async () => {
    const fading = () =>
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .filter((one) => one.playState === 'running')
    for (let still = 0; still < 4; still += 1) {
      const now = fading()
      if (now.length > 0) still = 0
      await Promise.all(now.map((one) => one.finished.catch(() => {})))
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  })

/** Rules about colors alone: the others find the same in both schemes. */
const ofColors = ['color-contrast', 'link-in-text-block']

/**
 * What axe finds in the page as it stands, in both schemes. Something may begin to fade in while axe looks, so a page with a
 * fault is looked at once more: one that is there stays.
 */
export async function violations(page: Page): Promise<string[]> {
  return (await faultsByAxe(page)).length === 0 ? [] : faultsByAxe(page)
}

async function faultsByAxe(page: Page): Promise<string[]> {
  const found: string[] = []
  await settled(page)
  const client = await page.context().newCDPSession(page)
  const evaluate = async (expression: string) => {
    const { result } = await client.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    return result.value as unknown
  }
  if ((await evaluate('typeof axe')) !== 'object') await evaluate(await readFile(axe, 'utf8'))
  for (const scheme of ['light', 'dark']) {
    const options = { resultTypes: ['violations'], ...(scheme === 'dark' && { runOnly: ofColors }) }
    const violated = await evaluate(`
      document.documentElement.dataset.mantineColorScheme = '${scheme}'
      axe.run(${JSON.stringify(options)}).then(({ violations }) => JSON.stringify(violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).slice(0, 4).join(' | '))))
    `)
    found.push(...(JSON.parse(String(violated)) as string[]).map((text) => `${scheme} ${text}`))
  }
  await client.detach()
  return found
}

/** The pages fit the width of a small phone: nothing scrolls sideways, and axe finds nothing there. */
export async function assertFitsPhone(page: Page, addresses: readonly string[]): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const address of addresses) {
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilIdle(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.equal(overflow, 0, `${address} scrolls sideways`)
    assert.deepEqual(await violations(page), [], address)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
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
