import { after, before } from 'node:test'
import type { Page } from 'playwright-core'
import { type ConsoleInBrowser, lackOfBrowser } from './browser.ts'
import { openSignedIn } from './open-signed-in.ts'
import type { TrialParts } from './trial-server.ts'
import { visitAddress } from './visit-address.ts'

/** What a file of tests works on: one server, one browser, and an administrator with full access who is signed in. */
export let opened: ConsoleInBrowser
export let page: Page

/** The address of a page of the console: "/devices". */
export const at = (path: string): string => `${opened.trial.baseUrl}/console${path}`

/** Shows the page of the console at this address, as `visitAddress` does. */
export const visit = (path: string): Promise<void> => visitAddress(page, at(path))

type Around = Pick<TrialParts, 'settings'> & {
  /** What the tests find there. */
  setUp?(): Promise<void>
  /** What ends before the server does. */
  tearDown?(): Promise<void>
}

/**
 * Opens the console before the tests of the file, with so many simulated devices, and closes it after them. Hooks of a
 * file do not wait for each other: what needs the console stands within.
 */
export function withConsole(devices: number, { setUp, tearDown, settings }: Around = {}): void {
  before(async () => {
    if (lackOfBrowser !== false) return
    opened = await openSignedIn(devices, settings)
    page = opened.page
    await setUp?.()
  })
  after(async () => {
    await tearDown?.()
    await opened?.stop()
  })
}
