import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lackOfBrowser as skip } from './browser.ts'
import { signInStage, untilInApp } from './sign-in-stage.ts'

const { stage, setUp, startAgent } = signInStage()

test('Back from the application shows that the sign-in has ended, and opens the application again', {
  skip,
}, async () => {
  const { page, key, arrive, faults } = await setUp()
  await startAgent(key)
  await arrive()
  await untilInApp(page)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'This sign-in has ended' }).waitFor()
  assert.equal(await page.getByText('You’re in').count(), 0)
  await page.getByRole('link', { name: 'Open Payroll again' }).click()
  await page.getByText('Payroll is open').waitFor()
  assert.deepEqual(faults, [])
})

test('a sign-in that is gone while its page is open names the application', { skip }, async () => {
  const { page, arrive } = await setUp({ permission: 'prompt' })
  await arrive()
  await page.getByRole('heading', { level: 1, name: 'Chrome will ask you once' }).waitFor()
  await stage.db.deleteFrom('signin_sessions').execute()
  await page.getByRole('heading', { level: 1, name: 'This sign-in has ended' }).waitFor()
  await page.getByRole('link', { name: 'Open Payroll again' }).click()
  await page.getByText('Payroll is open').waitFor()
})
