import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { placeOf } from './run-program.ts'

/** On a machine that is busy with other work; a calm one needs a hundredth of it. */
const deadlineMs = 120_000

export type Setting = 'granted' | 'denied' | 'prompt'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** To Debian's Chromium, so started, the port of this origin is a public address: a private one is not asked about at all. */
export const optionsFor = (publicOrigin: string) => ({
  executablePath: placeOf('chromium'),
  args: [...args, `--ip-address-space-overrides=127.0.0.1:${new URL(publicOrigin).port}=public`],
})

/** `display` is an X server to show its windows on; without it the browser answers its questions with no. */
export async function openChromium(publicOrigin: string, display?: string): Promise<Browser> {
  return chromium.launch({
    ...optionsFor(publicOrigin),
    headless: display === undefined,
    ...(display !== undefined && { env: { ...process.env, DISPLAY: display } }),
  })
}

/** What the page would be told of the browser's question. */
export const loopbackStateIn = (page: Page): Promise<string> =>
  page.evaluate("navigator.permissions.query({ name: 'loopback-network' }).then(({ state }) => state)")

/**
 * What the person has answered when the browser asked whether the origin may reach apps on this machine. It ends with the
 * session that set it, so that stays open as long as the browser.
 */
export async function setLoopback(
  context: BrowserContext,
  page: Page,
  origin: string,
  setting: Setting,
): Promise<void> {
  const client = await context.newCDPSession(page)
  const { targetInfo } = await client.send('Target.getTargetInfo')
  const session = await (context.browser() ?? failed()).newBrowserCDPSession()
  const { browserContextId } = targetInfo
  await session.send('Browser.setPermission', {
    ...{ permission: { name: 'loopback-network' }, setting, origin },
    ...(browserContextId !== undefined && { browserContextId }),
  })
  await client.detach()
}

const failed = (): never => {
  throw new Error('The context has no browser of its own')
}

/** A page without memory, as in a private window. */
export async function privatePage(browser: Browser): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext()
  context.setDefaultTimeout(deadlineMs)
  return { context, page: await context.newPage() }
}

/** Goes to a page that may go on by itself before it has loaded, which Playwright takes for an interruption. */
export const enter = (page: Page, address: string) =>
  page.goto(address, { waitUntil: 'commit' }).catch((error: Error) => {
    // The page has led on to the application before the first address was noticed.
    if (!error.message.includes('interrupted by another navigation')) throw error
  })
