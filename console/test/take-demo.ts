import { openPlace } from '../../server/test/support/muster-process.ts'
import { openBrowser } from './browser.ts'

/** Takes the pictures of `muster demo` into the folder. */
export async function takeDemo(folder: string): Promise<void> {
  const ends: (() => Promise<void>)[] = []
  const place = openPlace({ after: (work) => ends.push(work) })
  const demo = await place.startCommand(['demo'], /\nOpen http\S+\n/)
  const { page, close } = await openBrowser()
  try {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(/\nOpen (\S+)\n/.exec(demo.output())?.[1] ?? '')
    await page.screenshot({ path: `${folder}demo.png`, fullPage: true })
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in as Cleo' }).click(),
    ])
    await tab.setViewportSize({ width: 1280, height: 800 })
    await tab.getByRole('heading', { level: 1, name: /^Fix/ }).waitFor()
    await tab.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished)))
    await tab.screenshot({ path: `${folder}demo-blocked.png` })
  } finally {
    await close()
    // Killed, it would leave its folder.
    await demo.stop('SIGINT')
    for (const end of ends) await end()
  }
}
