import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const folder = fileURLToPath(new URL('../../.ci/artifacts/console/', import.meta.url))

/** CI keeps pictures of every page; once, since both database engines show the same. */
export const picturesAreKept = process.env['CI'] === 'true' && process.env['MUSTER_TEST_DATABASE_URL'] === undefined

/** Pictures of the page as it stands, on a screen and on a phone, light and dark. */
export async function keepPictures(page: Page, path: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const name = path === '/' ? 'dashboard' : path.slice(1).replaceAll('/', '-')
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    for (const scheme of ['light', 'dark']) {
      await page.evaluate((chosen) => {
        document.documentElement.dataset['mantineColorScheme'] = chosen
      }, scheme)
      await page.screenshot({ path: `${folder}${name}-${width}-${scheme}.png` })
    }
  }
}
