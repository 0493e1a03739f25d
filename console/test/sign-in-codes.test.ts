import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { askAsPage, assertFitsPhone, lackOfBrowser as skip, violations } from './browser.ts'
import { at, opened, page, withConsole } from './signed-in.ts'

withConsole(1, {
  setUp: async () => {
    const { run } = opened.trial
    await run('people', 'add', 'Ana Ruiz', 'ana.ruiz@halden.example')
    const keys = join(mkdtempSync(join(tmpdir(), 'muster-keys-')), 'keys.json')
    after(() => rmSync(dirname(keys), { recursive: true }))
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    writeFileSync(keys, JSON.stringify({ keys: [jwk] }))
    const caller = ['Payroll', '--redirect-uri', 'https://payroll.example.com/cb', '--request-keys', keys]
    await run('connections', 'add', 'second-step', ...caller)
  },
})

const idOfAna = async (): Promise<string> =>
  (await askAsPage(page, 'GET', '/views/people?search=ana.ruiz')).body.data[0].id

test('the help desk gives a person a code, sees that it waits, and withdraws it', { skip }, async () => {
  await page.goto(at(`/people/${await idOfAna()}`))
  const codes = page.getByRole('region', { name: 'Sign-in codes' })
  await codes.getByText('No codes.').waitFor()
  await codes.getByRole('button', { name: 'Give a code…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Give a sign-in code' })
  await dialog.getByLabel('Reason').fill('Loaner laptop')
  assert.deepEqual(await violations(page), [])
  await dialog.getByRole('button', { name: 'Give the code' }).click()
  const shown = page.getByRole('dialog', { name: 'Read this code to Ana Ruiz' })
  const code = ((await shown.getByRole('group', { name: 'Code' }).textContent()) ?? '').trim()
  assert.match(code, /^[A-Z2-9]{5}-[A-Z2-9]{5}$/)
  assert.deepEqual(await violations(page), [])
  await shown.getByRole('button', { name: 'I’ve saved it' }).click()
  await codes.getByText('Payroll').waitFor()
  await codes.getByText(/^Expires/).waitFor()
  assert.equal((await codes.textContent())?.includes(code), false)
  assert.deepEqual(await violations(page), [])
  await codes.getByRole('button', { name: /Withdraw/ }).click()
  await page.getByRole('button', { name: 'Withdraw the code', exact: true }).click()
  await codes.getByText(/^Withdrawn/).waitFor()
})

test('the sign-in log is narrowed to a reason', { skip }, async () => {
  await page.goto(at('/sign-ins?reason=blocked_by_issues'))
  await page.getByText('Issues block the device').first().waitFor()
  await page.getByText('No sign-ins match.').waitFor()
})

test('the page of a person with codes fits a phone', { skip }, async () => {
  await assertFitsPhone(page, [at(`/people/${await idOfAna()}`)])
})

test('checks are required of first devices, and no longer', { skip }, async () => {
  const required = async () =>
    (await askAsPage(page, 'GET', '/views/settings')).body.chosen.registration_required_checks
  await page.goto(at('/settings/registration'))
  const box = page.getByRole('group', { name: 'Checks that a first device has to pass' }).getByRole('checkbox').first()
  await box.check()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Require 1 check' }).click()
  await page.getByText('Saved which checks first devices have to pass').waitFor()
  assert.equal((await required()).length, 1)
  await box.uncheck()
  await page.getByRole('button', { name: 'Require no checks' }).click()
  await box.and(page.locator(':not(:checked)')).waitFor()
  await page.getByRole('button', { name: 'Require no checks' }).waitFor({ state: 'hidden' })
  assert.deepEqual(await required(), [])
})
