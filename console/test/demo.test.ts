import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { makePreparedFolder } from '../../server/src/prepared-folder.ts'
import { type MusterProcess, openPlace } from '../../server/test/support/muster-process.ts'
import { lackOfBrowser, openBrowser } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const place = openPlace({ after })
const skip = lackOfBrowser
const notice =
  'Demo. The people, laptops, app and sign-in service are made up. All of it goes away when you stop muster demo.'

let folder: string
let home: string
let temporary: string
let demo: MusterProcess
let address: string
let browser: Browser
let close: () => Promise<void>
let page: Page
let faults: readonly string[]

const startDemo = () => place.startCommand(['demo'], /\nOpen http\S+\n/, { HOME: home, TMPDIR: temporary })
const addressOf = (started: MusterProcess) => /\nOpen (\S+)\n/.exec(started.output())?.[1] ?? ''
const dataFolders = async () => (await readdir(temporary)).filter((name) => name.startsWith('muster-demo-'))

/** A tab of its own, as for people: the start page stays. */
async function signInAs(who: string): Promise<Page> {
  await page.bringToFront()
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: `Sign in as ${who}` }).click(),
  ])
  return tab
}

const heading = (tab: Page, name: string | RegExp) => tab.getByRole('heading', { level: 1, name }).waitFor()
const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })

describe('muster demo', { skip }, () => {
  before(async () => {
    await promisify(execFile)(process.execPath, ['console/build.ts', '--when-stale'], { cwd: root })
    await makePreparedFolder()
    folder = await mkdtemp(join(tmpdir(), 'muster-demo-test-'))
    ;[home, temporary] = [join(folder, 'home'), join(folder, 'tmp')]
    await Promise.all([mkdir(home), mkdir(temporary)])
    demo = await startDemo()
    address = addressOf(demo)
    ;({ browser, page, faults, close } = await openBrowser())
    await page.goto(address)
  })
  after(async () => {
    await close?.()
    await demo?.stop('SIGINT')
    await rm(folder, { recursive: true, force: true })
  })

  test('it prints one address, which opens by the name localhost too, and nothing opens without it', async () => {
    assert.equal(demo.output().match(/http:\/\//g)?.length, 1)
    await page.goto(address.replace('127.0.0.1', 'localhost'))
    assert.equal(page.url(), address)
    await heading(page, 'Sign in to Northwind Notes')
    await page.getByText(notice).waitFor()
    const stranger = await browser.newContext()
    try {
      for (const path of ['', '/notes', '/sign-in-service/authorize']) {
        const guess = new URL(`/demo/${'x'.repeat(22)}${path}`, address)
        assert.equal((await stranger.request.get(guess.href)).status(), 404, path)
      }
      const foreign = await stranger.request.get(address, { headers: { host: 'evil.example' }, maxRedirects: 0 })
      assert.equal(foreign.status(), 421)
    } finally {
      await stranger.close()
    }
  })

  test('the start page fits a phone, in both schemes', async () => {
    assert.deepEqual(await violations(page), [])
    await assertFitsPhone(page)
  })

  test('you get in from this machine; the app shows what it was told', async () => {
    const toMuster = page.context().waitForEvent('request', (request) => request.url().includes('/signin/oidc/auth?'))
    const tab = await signInAs('yourself')
    await heading(tab, /^Hello, /)
    const query = new URL((await toMuster).url()).searchParams
    assert.deepEqual([...query.keys()].sort(), ['client_id', 'request'])
    const [head, asked] = (query.get('request') ?? '')
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString())
    assert.match(head ?? '', /"alg":"ES256"/)
    assert.match(asked ?? '', /"login_hint":"you@northwind.example"/)
    await tab.getByText('Signed in as you@northwind.example.').waitFor()
    await tab.getByText('urn:muster:device:compliant', { exact: true }).waitFor()
    await tab.getByText('swk, pop').waitFor()
    await tab.getByText(notice).waitFor()
    await tab.close()
  })

  test('a file in the home folder blocks you, and once it is gone you get in without another click', async () => {
    const file = join(home, 'muster-demo')
    await writeFile(file, '')
    const tab = await signInAs('yourself')
    await heading(tab, 'Fix 1 thing to open Northwind Notes')
    await tab.getByText('The file muster-demo is in your home folder').waitFor()
    await tab.getByText(notice).waitFor()
    await row('You, on this machine').getByText('Blocked').waitFor()
    await rm(file)
    await heading(tab, /^Hello, /)
    await tab.close()
    await row('You, on this machine').getByText('Good').waitFor()
  })

  test('“Check again” says that the file is still there, and lets you in once it is not', async () => {
    const file = join(home, 'muster-demo')
    await writeFile(file, '')
    const tab = await signInAs('yourself')
    await heading(tab, 'Fix 1 thing to open Northwind Notes')
    const checkAgain = tab.getByRole('button', { name: 'Check again' })
    const [asked] = await Promise.all([
      tab.waitForResponse((response) => response.request().method() === 'POST'),
      checkAgain.click(),
    ])
    assert.ok(asked.ok(), `${asked.status()} ${asked.url()}`)
    await checkAgain.waitFor()
    await heading(tab, 'Fix 1 thing to open Northwind Notes')
    await rm(file)
    // The page may go on by itself before it is pressed.
    const pressed = checkAgain.click().catch(() => undefined)
    await heading(tab, /^Hello, /)
    await tab.close()
    await pressed
  })

  for (const [who, title] of [
    ['Ana', /^Hello, Ana/],
    ['Nia', '1 thing to fix when you can'],
    ['Fay', 'This computer is registered to someone else'],
    ['Eli', 'Muster isn’t answering on this computer'],
  ] as const) {
    test(`${who}’s sign-in ends as the row says`, async () => {
      const tab = await signInAs(who)
      await heading(tab, title)
      // Nothing was asked of the visitor, so nothing was refused either.
      assert.equal(await tab.getByText('is blocking it').count(), 0)
      await tab.close()
    })
  }

  test('a warning is passed with one click', async () => {
    await row('Ben').getByText('Blocks in 2 days').waitFor()
    const tab = await signInAs('Ben')
    await heading(tab, /^Fix 1 thing by /)
    await tab.getByRole('link', { name: 'Continue to Northwind Notes' }).click()
    await heading(tab, /^Hello, Ben/)
    await tab.close()
  })

  test('a first laptop is registered on the page', async () => {
    const tab = await signInAs('Dev')
    await tab.getByRole('button', { name: 'Yes, register it to me' }).click()
    await heading(tab, /^Hello, Dev/)
    await tab.close()
    await row('Dev').getByText('Good').waitFor()
  })

  test('a made-up laptop is repaired by buttons, and its owner gets in without another click', async () => {
    const tab = await signInAs('Cleo')
    await heading(tab, 'Fix 2 things to open Northwind Notes')
    await page.bringToFront()
    for (const name of ['Turn the firewall on', 'Turn automatic updates on']) {
      await page.getByRole('button', { name }).click()
      await page.getByRole('button', { name: name.replace(/ on$/, ' off') }).waitFor()
    }
    await tab.bringToFront()
    await heading(tab, /^Hello, Cleo/)
    await tab.close()
    await row('Cleo').getByText('Good').waitFor()
  })

  test('who cancels does not get in', async () => {
    await page.getByRole('button', { name: 'Turn the firewall off' }).click()
    await row('Cleo').getByText('Blocked').waitFor()
    const tab = await signInAs('Cleo')
    await heading(tab, 'Fix 1 thing to open Northwind Notes')
    await tab.getByRole('button', { name: 'Get help' }).click()
    await tab.getByRole('button', { name: 'Cancel this sign-in' }).click()
    await heading(tab, 'You did not sign in')
    await tab.close()
  })

  test('from another computer, to which only its address is forwarded, the made-up people get in', async () => {
    const elsewhere = await browser.newContext()
    try {
      const { host } = new URL(address)
      const reached = new Set<string>()
      await elsewhere.route('**', async (route) => {
        const url = new URL(route.request().url())
        reached.add(url.host)
        await (url.host === host ? route.continue() : route.abort('connectionrefused'))
      })
      const start = await elsewhere.newPage()
      await start.goto(address)
      const reason = `Your browser is on another computer. It cannot reach the agent on ${hostname()}.`
      const own = start.getByRole('listitem').filter({ has: start.getByText(reason) })
      await own.getByText(`You, on ${hostname()}`, { exact: true }).waitFor()
      assert.equal(await own.getByRole('link').count(), 0)
      assert.ok(reached.size > 1)
      assert.deepEqual(await violations(start), [])
      // Behind an SSH forward the other end is the SSH server, by which real laptops are refused.
      const attested = elsewhere.waitForEvent('response', (response) => response.url().endsWith('/v1/attest'))
      const proofOf = async () => ((await (await attested).json()) as { proof: string }).proof
      const peerOf = async () =>
        JSON.parse(Buffer.from((await proofOf()).split('.')[1] ?? '', 'base64url').toString()).peer
      const peer = peerOf()
      for (const [who, title] of [
        ['Ana', /^Hello, Ana/],
        ['Fay', 'This computer is registered to someone else'],
        ['Eli', 'Muster isn’t answering on this computer'],
      ] as const) {
        const [tab] = await Promise.all([
          elsewhere.waitForEvent('page'),
          start.getByRole('link', { name: `Sign in as ${who}` }).click(),
        ])
        await heading(tab, title)
        await tab.close()
      }
      assert.equal(await peer, null)
    } finally {
      await elsewhere.close()
    }
  })

  test('the console opens without an account, with the devices and the sign-ins', async () => {
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('button', { name: 'Open console' }).click(),
    ])
    await tab.getByText(notice).waitFor()
    await tab.getByText('Northwind').first().waitFor()
    await tab.goto(`${new URL(tab.url()).origin}/console/devices`)
    for (const name of ['demo-cleo', 'demo-ben']) await tab.getByText(name).first().waitFor()
    await tab.close()
  })

  test('a laptop that IT took is asked for; the console shows with what evidence, and the page continues by itself', async () => {
    const office = await page.context().newPage()
    await office.goto(`${new URL(address).origin}/console/devices`)
    await office.getByRole('link', { name: 'Dev’s MacBook' }).click()
    await office.getByRole('button', { name: 'More actions' }).click()
    await office.getByRole('menuitem', { name: 'Unregister…' }).click()
    await office
      .getByRole('dialog')
      .getByRole('button', { name: /^Unregister/ })
      .click()
    const tab = await signInAs('Dev')
    await heading(tab, 'IT has to approve this computer')
    await tab.getByText('IT ended its registration to you.').waitFor()
    const reason = tab.getByLabel('Why do you need this computer?')
    await reason.fill('It came back from repair.')
    await tab.getByRole('button', { name: 'Send to IT' }).click()
    await tab.getByRole('button', { name: 'Withdraw the request' }).click()
    await reason.fill('It is repaired.')
    await tab.getByRole('button', { name: 'Send to IT' }).click()
    await tab.getByText('“It is repaired.”').waitFor()

    await office.goto(`${new URL(address).origin}/console/requests/registrations`)
    const request = office.locator('.request').filter({ hasText: 'It is repaired.' })
    for (const text of [
      /^Mac\S+ · serial number \w+ · macOS/,
      /is also the network of its companion/,
      /ended their registration/,
      // The laptops of the demo are made up, and have nobody to count.
      'How many people were logged in on the device is unknown.',
    ]) {
      await request.getByText(text).waitFor()
    }
    await request.getByRole('link', { name: 'sign-in to Northwind Notes' }).waitFor()
    assert.deepEqual(await violations(office), [])
    await assertFitsPhone(office)
    await request.getByRole('button', { name: 'Approve…' }).click()
    await office.getByRole('dialog').getByRole('button', { name: 'Approve the request' }).click()
    await tab.bringToFront()
    await heading(tab, /^Hello, Dev/)
    await office.goto(`${new URL(address).origin}/console/requests/registrations?status=withdrawn`)
    await office.getByText('It came back from repair.').waitFor()
    await Promise.all([tab.close(), office.close()])
  })

  test('each party has cookies of its own names, and no page breaks its policy', async () => {
    const names = (await page.context().cookies()).map(({ name }) => name)
    for (const name of ['muster_demo_notes', 'muster_demo_sign_in', 'muster_session']) {
      assert.equal(names.filter((one) => one === name).length, 1, `${name} in ${names}`)
    }
    assert.deepEqual(faults, [])
  })

  test('its folder is gone after Ctrl-C, also where pages of it are open', async () => {
    assert.doesNotMatch(demo.output(), /ssh/)
    assert.equal((await dataFolders()).length, 1)
    assert.equal(await demo.stop('SIGINT'), 0)
    assert.deepEqual(await dataFolders(), [])
  })
})
