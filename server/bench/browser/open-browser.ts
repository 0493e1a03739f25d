import { existsSync } from 'node:fs'
import { type BrowserContext, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-headless-shell',
]

export type OpenBrowser = { context: BrowserContext; version: string; close: () => Promise<void> }

/**
 * A browser to which the server's address is a public one, as it is to people, and which has been told that its pages may
 * ask apps on this machine. Undefined where none is installed.
 */
export async function openBrowser(origin: string): Promise<OpenBrowser | undefined> {
  const executablePath = places.find((path) => existsSync(path))
  if (executablePath === undefined) return undefined
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
      ...['--disable-sync', `--ip-address-space-overrides=127.0.0.1:${new URL(origin).port}=public`],
    ],
  })
  const context = await browser.newContext()
  await context.grantPermissions(['local-network-access'], { origin })
  return { context, version: browser.version(), close: () => browser.close() }
}
