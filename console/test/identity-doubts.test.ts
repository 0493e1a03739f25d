import assert from 'node:assert/strict'
import { test } from 'node:test'
import { osqueryClient } from '../../server/test/support/osquery-client.ts'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'
import { opened, page, visit, withConsole } from './signed-in.ts'

withConsole(12, { setUp: enrollTwice })

/** Two machines with one identity enroll in turn, as a device that is registered to someone. */
async function enrollTwice(): Promise<void> {
  const { trial } = opened
  const secretOf = async (...more: string[]) =>
    (await trial.run('enrollment-secrets', 'create', 'Clones', ...more)).trim().split(/\s+/).at(-1) ?? ''
  await trial.run('people', 'add', 'Ada Ferreira', 'ada@example.com')
  const own = await secretOf('--person-email', 'ada@example.com')
  const clones = [osqueryClient(trial.baseUrl), osqueryClient(trial.baseUrl)]
  try {
    for (let turn = 0; turn < 4; turn += 1) {
      const clone = clones[turn % 2]
      await clone?.enroll(own, { hostname: 'ada-clone' })
      await clone?.config()
    }
  } finally {
    for (const clone of clones) clone.close()
  }
}

const link = () => page.getByRole('link', { name: 'ada-clone' })
const note = (label: string) => page.getByRole('region', { name: label })

test('devices in doubt have chips, and filters find them', { skip }, async () => {
  for (const [identity, words] of [
    ['suspended', 'Registration suspended'],
    ['conflict', 'Shared identity'],
  ]) {
    await visit(`/devices?identity=${identity}`)
    await link().waitFor()
    assert.equal(await page.locator('[data-row-link]').count(), 1)
    await page.locator('.cell-name .tag', { hasText: words ?? '' }).waitFor()
  }
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Remove the filter Identity' }).click()
  await page.locator('[data-row-link]').nth(2).waitFor()
})

test('the page of a device says what is in doubt, and ends it', { skip }, async () => {
  await visit('/devices?identity=conflict')
  await link().click()
  await note('Registration suspended').waitFor()
  await note('Shared identity').waitFor()
  assert.deepEqual(await violations(page), [])
  await assertFitsPhone(page)
  const address = new URL(page.url()).pathname.replace('/console', '')
  const dialog = page.getByRole('dialog')
  for (const [label, verb] of [
    ['Registration suspended', 'Confirm registration'],
    ['Shared identity', 'Resolve conflict'],
  ] as const) {
    await note(label)
      .getByRole('button', { name: `${verb}…` })
      .click()
    await dialog.getByRole('button', { name: verb }).click()
    await note(label).waitFor({ state: 'detached' })
  }
  const device = (await askAsPage(page, 'GET', address)).body
  assert.deepEqual([device.registration_suspended_at, device.identity_conflict_since], [null, null])
})
