import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../server/test/support/muster-process.ts'
import { lackOfBrowser as skip } from './browser.ts'
import { signInStage } from './sign-in-stage.ts'

const { stage, make, setUp, startAgent } = signInStage()

/** A page of two things to fix, and what changes one of them. */
async function blockedPage() {
  const all = await setUp()
  const configuration = { remediation_strategy: 'block_immediately' as const }
  const fix_instructions_template = '### Debian\n\n1. Turn it on: `sudo ufw enable`.\n\n### Fedora\n\n1. Ask.'
  const checks = []
  for (const title of ['No firewall is active', 'The disk is not encrypted']) {
    const check = await make.check(all.organizationId, {
      ...{ name: `${title}: fixed`, issue_title: title, fix_instructions_template, configuration },
    })
    await make.result({ device: all.device, check, rows: 'FAIL', at: stage.now() })
    checks.push(check)
  }
  const [firewall, disk] = checks
  if (!firewall || !disk) throw new Error('Two checks were made')
  await startAgent(all.key)
  const asked = new Set<string>()
  all.page.on('request', (request) => asked.add(request.url()))
  const isSeen = all.page.waitForResponse(/\/seen$/)
  await all.arrive()
  await all.page.getByRole('heading', { level: 1, name: 'Fix 2 things to open Payroll' }).waitFor()
  await isSeen
  await untilHeard(all.page, asked)
  /** The agent answers, and the page has read what that changes. */
  async function fixDisk(): Promise<void> {
    const read = all.page.waitForResponse(/\/region$/)
    stage.setNow(new Date(Date.parse(stage.now()) + 2_000).toISOString())
    await make.result({ device: all.device, check: disk as never, rows: 'PASS', at: stage.now() })
    await (await read).finished()
  }
  const shown = () => all.page.getByText('1 fixed, 1 to go.').waitFor()
  return { ...all, firewall, fixDisk, shown }
}

/**
 * The page has asked with the mark that the sign-in has now. Until then it may be drawn once more by itself, and what it reads
 * while something is pressed it shows after that.
 */
async function untilHeard(page: Page, asked: ReadonlySet<string>): Promise<void> {
  const news = `${page.url()}/news?seen=`
  await until(30_000, async () => {
    const { mark } = await (await page.request.get(news)).json()
    return asked.has(news + mark)
  })
}

const focused = (page: Page) =>
  page.evaluate(() => [document.activeElement?.id ?? '', document.activeElement?.textContent?.trim() ?? ''])

test('a click counts although news come while the button is down, and the news are shown after it', {
  skip,
}, async () => {
  const { page, fixDisk } = await blockedPage()
  const box = await page.getByRole('button', { name: 'Check again' }).boundingBox()
  assert.ok(box)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  const asked = page.waitForRequest(/\/recheck$/)
  await page.mouse.down()
  await fixDisk()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  assert.equal(await page.getByText('1 fixed').count(), 0)
  await page.mouse.up()
  await asked
  await page.getByRole('heading', { level: 1, name: '1 fixed, checking the other' }).waitFor()
})

test('the space bar counts in the same way', { skip }, async () => {
  const { page, fixDisk } = await blockedPage()
  await page.getByRole('button', { name: 'Check again' }).focus()
  const asked = page.waitForRequest(/\/recheck$/)
  await page.keyboard.down(' ')
  await fixDisk()
  await page.keyboard.up(' ')
  await asked
})

test('the focus stays where it is when the region is drawn again', { skip }, async () => {
  for (const name of ['No firewall is active', 'Another system', 'Ask for an exemption…', 'Copy the command']) {
    const { page, fixDisk, shown } = await blockedPage()
    const thing = page.locator('details.iss', { hasText: 'No firewall is active' })
    const control =
      name === 'Copy the command'
        ? thing.getByRole('button', { name }).first()
        : thing.locator('summary', { hasText: name }).first()
    await control.focus()
    const before = await focused(page)
    await fixDisk()
    await shown()
    assert.deepEqual(await focused(page), before, name)
  }
})

test('a request that is being written stays, with its cursor, and is sent by the button with the focus', {
  skip,
}, async () => {
  const { page, firewall, fixDisk, shown } = await blockedPage()
  const thing = page.locator('details.iss', { hasText: 'No firewall is active' })
  await thing.getByText('Ask for an exemption…').click()
  const field = thing.getByRole('textbox')
  await field.fill('A lab computer')
  await page.keyboard.press('Home')
  await fixDisk()
  await page.getByText('There is news. It shows when you leave this field.').waitFor({ state: 'attached' })
  await page.keyboard.type('It is ')
  await page.keyboard.press('Tab')
  await shown()
  assert.deepEqual(await focused(page), [`send-${firewall.id}`, 'Send to IT'])
  assert.equal(await field.inputValue(), 'It is A lab computer')
  await page.keyboard.press('Tab')
  assert.deepEqual(await focused(page), [`close-${firewall.id}`, 'Cancel'])
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText(/With IT since/).waitFor()
  assert.equal((await focused(page))[0], `title-${firewall.id}`)
})

test('words that are being written are kept when nothing blocks any more', { skip }, async () => {
  const { page, device, firewall, fixDisk } = await blockedPage()
  const thing = page.locator('details.iss', { hasText: 'No firewall is active' })
  await thing.getByText('Ask for an exemption…').click()
  const field = thing.getByRole('textbox')
  await field.fill('A lab computer')
  await make.result({ device, check: firewall, rows: 'PASS', at: new Date(Date.parse(stage.now()) + 1).toISOString() })
  await fixDisk()
  await page.getByText('There is news. It shows when you leave this field.').waitFor({ state: 'attached' })
  assert.equal(await field.inputValue(), 'A lab computer')
  await page.getByRole('heading', { level: 1 }).click()
  await page.waitForURL(/callback\?code=/)
})

test('coming back to the tab checks again: once in ten seconds, and never while a request is typed', {
  skip,
}, async () => {
  const { page, fixDisk } = await blockedPage()
  let checks = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/recheck')) checks += 1
  })
  const comeBack = () =>
    page.evaluate(async () => {
      for (const value of ['hidden', 'visible']) {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }
      // What the page asks for comes before this.
      await fetch(location.href)
    })
  /** The page's clock stands still at this. */
  const setClock = (ms: number) =>
    page.evaluate((at) => {
      performance.now = () => at
    }, ms)
  const endRecheck = async () => {
    await stage.db.deleteFrom('check_refreshes').execute()
    await page.getByRole('heading', { level: 1, name: /^Fix \d thing/ }).waitFor()
  }
  await setClock(1_000_000)
  await comeBack()
  await page.getByRole('heading', { level: 1, name: 'Checking again' }).waitFor()
  assert.equal(checks, 1)
  await endRecheck()
  await setClock(1_009_999)
  await comeBack()
  assert.equal(checks, 1, 'ten seconds have not passed')
  await setClock(1_010_000)
  await page.getByText('Ask for an exemption…').first().click()
  await page.getByRole('textbox').pressSequentially('The lab')
  await comeBack()
  assert.equal(checks, 1, 'a request is typed')
  await page.getByRole('textbox').fill('')
  await page.getByRole('heading', { level: 1 }).focus()
  await comeBack()
  await page.getByRole('heading', { level: 1, name: 'Checking again' }).waitFor()
  assert.equal(checks, 2)
  await fixDisk()
  await page.getByRole('heading', { level: 1, name: '1 fixed, checking the other' }).waitFor()
})
