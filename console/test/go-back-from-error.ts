import type { Page } from 'playwright-core'
import { until } from '../../server/test/support/muster-process.ts'
import { deadlineMs } from './browser.ts'

/** Goes back to Muster's page once the tab is where nothing answered. */
export async function goBackFromError(page: Page): Promise<void> {
  await until(deadlineMs, () => Promise.resolve(page.url().startsWith('chrome-error')))
  await until(deadlineMs, () => page.goBack().then(() => true, isStillSwapping))
  await page.getByText('Muster didn’t answer that way either.').waitFor()
}

/** The address of an error is known before its page has taken the place of the last one; until then there is no history. */
function isStillSwapping(error: Error): false {
  if (!error.message.includes('Not attached to an active page')) throw error
  return false
}
