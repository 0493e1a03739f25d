import type { Page } from 'playwright-core'
import { companionPorts } from '../../src/agents/companion-keys/companion-ports.ts'
import { until } from '../support/muster-process.ts'
import type { SignInPlace } from './sign-in-place.ts'

/** The newest sign-in of the place, as the database has it. */
export async function newestSignIn(place: SignInPlace) {
  const newest = (await place.sessions()).at(-1)
  if (!newest) throw new Error('No sign-in has begun')
  return newest
}

/** Waits until the page has told the server why it found no agent. */
export async function untilUndetected(place: SignInPlace): Promise<string | null> {
  await until(60_000, async () => (await newestSignIn(place)).detection_failure !== null)
  return (await newestSignIn(place)).detection_failure
}

/** The way that needs no permission, and the question of the browser. */
export const pressOtherWay = '[data-act="bounce"]'
export const pressAllow = '[data-act="allow"]'
export const regionIn = (state: string): string => `#region[data-state="${state}"]`

/** Whether an address is one that companions may listen at. */
export const isCompanion = (address: string): boolean => {
  const { hostname, port } = new URL(address)
  return ['127.0.0.1', 'localhost'].includes(hostname) && companionPorts.includes(Number(port))
}

/** Signs in at the upstream, as people do, and agrees to what it asks. */
export async function signInAs(page: Page, login: string): Promise<void> {
  await page.fill('input[name="login"]', login)
  await page.fill('input[name="password"]', 'any')
  await page.click('button[type="submit"]')
  await page.getByRole('button', { name: 'Continue' }).click()
}
