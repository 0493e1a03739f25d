import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { untilDrawn } from './browser.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The others find the same in both schemes. */
const rulesOfColors: readonly string[] = ['color-contrast', 'link-in-text-block']

/** What axe finds in the page as it stands, by these rules or by all. */
export async function runAxe(page: Page, rules?: readonly string[]): Promise<string[]> {
  const client = await page.context().newCDPSession(page)
  // Past the policy of the page, which allows no script of others.
  const evaluate = async (expression: string) => {
    const { result } = await client.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    return result.value as unknown
  }
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  if ((await evaluate('typeof axe')) !== 'object') await evaluate(axe)
  const violated = await evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => JSON.stringify(violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).slice(0, 4).join(' | '))))`,
  )
  await client.detach()
  return JSON.parse(String(violated)) as string[]
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

async function findFaults(page: Page): Promise<string[]> {
  const found: string[] = []
  await settled(page)
  for (const [scheme, rules] of [
    ['dark', rulesOfColors],
    ['light', undefined],
  ] as const) {
    await page.evaluate((chosen) => {
      document.documentElement.dataset['mantineColorScheme'] = chosen
    }, scheme)
    found.push(...(await runAxe(page, rules)).map((text) => `${scheme} ${text}`))
  }
  return found
}

/**
 * What axe finds in the page as it stands, in both schemes; it is light afterwards. Something may begin to fade in while axe
 * looks, so a page with a fault is looked at once more: one that is there stays.
 */
export async function violations(page: Page): Promise<string[]> {
  return (await findFaults(page)).length === 0 ? [] : findFaults(page)
}

/** What is wrong with the page as it stands at the width of a small phone, where it stays: it scrolls sideways, or what `violations` finds. */
export async function faultsOnPhone(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 390, height: 844 })
  await untilDrawn(page)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  const found = await violations(page)
  return overflow === 0 ? found : [`scrolls sideways by ${overflow} px`, ...found]
}

/** The page as it stands fits a small phone, and has its width again afterwards. */
export async function assertFitsPhone(page: Page): Promise<void> {
  assert.deepEqual(await faultsOnPhone(page), [], page.url())
  await page.setViewportSize({ width: 1440, height: 900 })
}
