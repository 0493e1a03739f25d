// Party: Chromium: chromium
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page, Request } from 'playwright-core'
import { systemChange } from '../../src/base/change-context.ts'
import { systemClock } from '../../src/base/clock.ts'
import { transact } from '../../src/base/db/transact.ts'
import { createEntraConnection } from '../../src/sign-in/connections/create-entra-connection.ts'
import { appId, entraStandIn, tenantId } from '../support/entra-stand-in.ts'
import { openChromium, privatePage, setLoopback } from './chromium.ts'
import { signInPlace } from './sign-in-place.ts'

const entra = entraStandIn()
const place = signInPlace({ fetchFromEntra: entra.fetchDocument })
let browser: Browser
let connection: { id: string; clientId: string }
let deviceId: string

/** The page of Microsoft's that sends people here: of another site than Muster's, and not of this machine. */
let form: Record<string, string> = {}
const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const microsoft = createServer((_request, response) => {
  const action = `${place.tenant.origin}/signin/entra/${connection.id}/authorize`
  const inputs = Object.entries(form).map(([name, value]) => `<input name="${name}" value="${escapeText(value)}">`)
  response.setHeader('content-type', 'text/html')
  response.end(
    `<form method="post" action="${action}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`,
  )
})

before(async () => {
  await place.ready
  const { organizationId, origin } = place.tenant
  const { id: ownerId } = await place.make.person(organizationId, { email: 'ana@example.com' })
  deviceId = (await place.tenant.addLaptop({ ownerId })).deviceId
  const asked = {
    name: 'Microsoft 365',
    cloud: 'global' as const,
    tenantIds: [tenantId],
    appId,
    mode: 'enforce' as const,
  }
  connection = await transact(place.db, (tx) =>
    createEntraConnection(tx, asked, systemChange(organizationId, systemClock())),
  )
  microsoft.listen(0, '127.0.0.1')
  await once(microsoft, 'listening')
  browser = await openChromium(origin)
})

after(async () => {
  await browser?.close()
  microsoft.closeAllConnections()
  microsoft.close()
})

/** A window in front of Microsoft's page, which takes the answer as well. */
async function opened(state: string) {
  const { context, page } = await privatePage(browser)
  await setLoopback(context, page, place.tenant.origin, 'granted')
  const faults: string[] = []
  page.on('console', (message) => {
    // The agent listens on one port of six.
    const isExpected = message.text().includes('ERR_CONNECTION_REFUSED')
    if (message.type() === 'error' && !isExpected) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  form = { ...entra.formOf(connection, await entra.hint(systemClock())), state }
  const answered = new Promise<Request>((resolve) => {
    void page.route('https://login.microsoftonline.com/**', async (route) => {
      resolve(route.request())
      await route.fulfill({ contentType: 'text/html', body: '<title>Signed in</title>' })
    })
  })
  await page.goto(`http://localhost:${(microsoft.address() as AddressInfo).port}/`)
  return { context, page, faults, answered }
}

const fieldsOf = (request: Request): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(request.postData() ?? ''))

const titleOf = (page: Page) => page.locator('h1').first()

test('Microsoft’s form begins a sign-in without cookies, the device proves itself, and the answer is posted by itself', async () => {
  const state = 'a\'"><script>alert(1)</script> &amp; \u00e9\u200b'
  const { context, faults, answered } = await opened(state)
  const request = await answered
  assert.equal(request.method(), 'POST')
  const { id_token: token = '', state: returned, ...others } = fieldsOf(request)
  assert.deepEqual([returned, others], [state, {}])
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
  assert.deepEqual([claims['acr'], claims['amr'], claims['sub']], ['possessionorinherence', ['swk'], 'ana-in-this-app'])
  assert.equal((await request.allHeaders())['referer'], `${place.tenant.origin}/`)
  assert.deepEqual(faults, [])
  await context.close()
})

test('a blocked person may leave for another method, or fixes it and is let in without another click', async () => {
  const { organizationId } = place.tenant
  const configuration = { remediation_strategy: 'block_immediately' } as const
  const check = await place.make.check(organizationId, { configuration, issue_title: 'The disk is readable' })
  const device = await place.db.selectFrom('devices').selectAll().where('id', '=', deviceId).executeTakeFirstOrThrow()
  await place.make.issue({ device, check, at: systemClock() })
  const leaving = await opened('s2')
  await titleOf(leaving.page).filter({ hasText: 'Fix 1 thing to open Microsoft 365' }).waitFor()
  await leaving.page.getByRole('button', { name: 'Sign in another way' }).click()
  assert.deepEqual(fieldsOf(await leaving.answered), { error: 'access_denied', state: 's2' })
  await leaving.context.close()

  const { context, page, faults, answered } = await opened('s3')
  await page.getByText('The disk is readable').first().waitFor()
  await place.make.result({ device, check, rows: 'PASS', at: systemClock() })
  const { id_token: token, state } = fieldsOf(await answered)
  assert.ok(token)
  assert.equal(state, 's3')
  assert.deepEqual([...leaving.faults, ...faults], [])
  await context.close()
})

test('a guest reads why, and leaves for another method by a button', async () => {
  const { context, page } = await opened('s4')
  await context.close()
  const guest = await privatePage(browser)
  form = { ...form, id_token_hint: await entra.hint(systemClock(), { claims: { acct: 1 } }), nonce: 'guest' }
  const posted: Request[] = []
  await guest.page.route('https://login.microsoftonline.com/**', async (route) => {
    posted.push(route.request())
    await route.fulfill({ contentType: 'text/html', body: '<title>Another way</title>' })
  })
  await guest.page.goto(`http://localhost:${(microsoft.address() as AddressInfo).port}/`)
  await titleOf(guest.page).filter({ hasText: 'Guests can’t sign in with Muster' }).waitFor()
  await guest.page.getByRole('button', { name: 'Sign in another way' }).click()
  await guest.page.waitForFunction("document.title === 'Another way'")
  assert.deepEqual(posted.map(fieldsOf), [{ error: 'access_denied', state: 's4' }])
  assert.ok(page.isClosed())
  await guest.context.close()
})
