import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const folder = fileURLToPath(new URL('../../.ci/artifacts/console/', import.meta.url))

/** CI keeps pictures of every page. */
const picturesAreKept = process.env['CI'] === 'true'

/** The page as it stands, in this color scheme, under its path, its width and the scheme. */
export async function keepPicture(page: Page, path: string, scheme: 'light' | 'dark' = 'light'): Promise<void> {
  if (!picturesAreKept) return
  await mkdir(folder, { recursive: true })
  const name = path === '/' ? 'dashboard' : path.slice(1).replaceAll('/', '-')
  await page.evaluate((chosen) => {
    document.documentElement.dataset['mantineColorScheme'] = chosen
  }, scheme)
  await page.screenshot({ path: `${folder}${name}-${page.viewportSize()?.width}-${scheme}.jpg`, type: 'jpeg' })
}
