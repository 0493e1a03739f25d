import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const folder = fileURLToPath(new URL('../../.ci/artifacts/console/', import.meta.url))

/** CI keeps pictures of every page. */
export const picturesAreKept = process.env['CI'] === 'true'

const kept = [
  [390, 844, 'dark'],
  [1440, 900, 'light'],
] as const

/** Two pictures of the page as it stands: light on a screen, and dark on a phone. */
export async function keepPictures(page: Page, path: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const name = path === '/' ? 'dashboard' : path.slice(1).replaceAll('/', '-')
  for (const [width, height, scheme] of kept) {
    await page.setViewportSize({ width, height })
    await page.evaluate((chosen) => {
      document.documentElement.dataset['mantineColorScheme'] = chosen
    }, scheme)
    await page.screenshot({ path: `${folder}${name}-${width}-${scheme}.png` })
  }
}
