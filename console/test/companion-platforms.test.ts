import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
import { type ComputerType, computerTypes, systemNames } from '@muster/contract/computer-types.ts'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'
import { page, visit, withConsole } from './signed-in.ts'

withConsole(12)

/** What a server could make a companion for: today's, one with a Mac's beside it, and one with all. */
const servers: readonly (readonly ComputerType[])[] = [['Linux'], ['Mac', 'Linux'], ['Mac', 'Windows', 'Linux']]

const unmade = /This server makes no companion for/
const isCalled = { Mac: 'macOS', Windows: 'Windows', Linux: 'Linux' } as const

async function serve(made: readonly ComputerType[]): Promise<void> {
  await page.unroute('**/views/companion_platforms')
  const nodes = [{ architecture: 'x64', needs: 'glibc 2.28 or later on x64' } as const]
  const json: CompanionPlatforms = { data: made.map((type) => ({ device_type: type, nodes })), missing: [] }
  await page.route('**/views/companion_platforms', (route) => route.fulfill({ json }))
}

after(() => page?.unroute('**/views/companion_platforms').catch(() => {}))

const said = (text: string | RegExp) => page.getByText(text).first()

/** Waits for what is known to be there, then looks at what must not be. */
async function assertSaid(isUnmade: boolean, where: string, ...known: string[]): Promise<void> {
  for (const text of known) await said(text).waitFor()
  if (isUnmade) await said(unmade).waitFor()
  else assert.equal(await page.getByText(unmade).count(), 0, where)
}

for (const made of servers) {
  for (const type of computerTypes) {
    const isUnmade = !made.includes(type)
    const server = made.map((one) => systemNames[one]).join(', ')

    test(`${systemNames[type]}, on a server with companions for ${server}: page of enrolling`, { skip }, async () => {
      await serve(made)
      await visit('/devices/enroll')
      await page.route('**/views/companion_summary', (route) =>
        route.fulfill({
          json: {
            ...{ computers: 7, linked: 0, linking: 0, none: 7, seen_twice: 0, without_device: 0 },
            by_type: [{ device_type: type, computers: 7, none: 7 }],
          },
        }),
      )
      await page.reload()
      await page.getByText(isCalled[type], { exact: true }).first().click()
      await assertSaid(isUnmade, 'enroll', '0 of 7 computers have a linked companion.')
      if (isUnmade) {
        await said(`This server makes no companion for ${systemNames[type]} yet: 7 computers are refused`).waitFor()
        await said('Checks run and are reported.').waitFor()
      } else await page.getByRole('link', { name: 'See the 7 without one' }).waitFor()
      assert.equal(await page.getByRole('link', { name: 'See the 7 without one' }).count(), isUnmade ? 0 : 1)
      await page.unroute('**/views/companion_summary')
    })

    test(`${systemNames[type]}, on a server with companions for ${server}: page of a device`, { skip }, async () => {
      await serve(made)
      const devices = (await askAsPage(page, 'GET', `/devices?query=device_type:${type}&per_page=1`)).body.data
      const [device] = devices
      assert.ok(device, `no simulated device of the platform ${type}`)
      await visit(`/devices/${device.id}`)
      const facts = page.getByRole('region', { name: 'Companion' })
      await facts.getByText(isUnmade ? unmade : 'Install one').waitFor()
      assert.equal(await facts.getByText(isUnmade ? 'Install one' : unmade).count(), 0)
    })
  }
}

test('the form of a connection says which computers cannot pass, and for Okta that no laptop can', {
  skip,
}, async () => {
  const okta = () => page.getByRole('radio', { name: /^Okta/ }).check()
  await serve(['Linux'])
  await visit('/connections/new')
  await said('This server makes no companion for macOS or Windows yet: once this connection enforces').waitFor()
  await okta()
  await said('and Okta asks on no other computers: no laptop can pass through this connection today.').waitFor()
  assert.deepEqual(await violations(page), [])
  await assertFitsPhone(page)
  await serve(['Linux', 'Mac'])
  await page.reload()
  await okta()
  await said('This server makes no companion for Windows yet: once this connection enforces').waitFor()
  assert.equal(await page.getByText('no laptop can pass').count(), 0)
  await serve(computerTypes)
  await page.reload()
  await okta()
  await said('Of every Okta organization').waitFor()
  assert.equal(await page.getByText(unmade).count(), 0)
})

test('the readiness report says whom nothing that is installed would let in', { skip }, async () => {
  const redirect_uris = ['https://payroll.invalid/callback']
  const upstream = { kind: 'second_step', mode: 'observe', name: 'Payroll', redirect_uris, request_keys: await keys() }
  const made = await askAsPage(page, 'POST', '/session/sign_in_connections', upstream)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const none = { no_device: 0, no_companion: 0, companion_silent: 0, suspended: 0, blocked: 0, phone_only: 0 }
  const report = {
    ...{ people_count: 400, refused_count: 350, reasons: { ...none, no_companion_for_platform: 350 } },
    platforms: [
      { device_type: 'Mac', people_count: 250 },
      { device_type: 'Windows', people_count: 100 },
    ],
  }
  const ana = { id: '1', name: 'Ana', email: 'ana@example.com', device_id: '1', device_name: 'x' }
  const people = { data: [{ ...ana, reason: 'no_companion_for_platform', device_type: 'Mac' }] }
  const pagination = { next: '', current_cursor: '', next_cursor: '', count: 1 }
  await page.route('**/readiness', (route) => route.fulfill({ json: report }))
  await page.route('**/refused_people**', (route) => route.fulfill({ json: { ...people, pagination } }))
  await visit(`/connections/${made.body.id}`)
  await page.getByRole('button', { name: 'Enforce…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('350 people of 400 would be refused today.').waitFor()
  await dialog
    .getByText('This server makes no companion for macOS or Windows yet (macOS: 250 people, Windows: 100 people).')
    .waitFor()
  await dialog.getByText('This server makes no companion for macOS yet', { exact: true }).waitFor()
  await dialog.getByLabel('Type 350 to continue').waitFor()
  assert.deepEqual(await violations(page), [])
  for (const route of ['**/readiness', '**/refused_people**']) await page.unroute(route)
})

async function keys() {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  return { keys: [{ kty, crv, x, y }] }
}
