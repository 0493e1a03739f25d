import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAsPage, lackOfBrowser as skip, untilIdle } from './browser.ts'
import { violations } from './look.ts'
import { opened, page, visit, withConsole } from './signed-in.ts'

withConsole(40)

const box = (id: string) =>
  page
    .locator('tr')
    .filter({ has: page.locator(`[data-row-link][href$="/devices/${id}"]`) })
    .locator('input[type=checkbox]')
const owned = async (filter = '') => {
  const { body } = await askAsPage(page, 'GET', `/views/devices?owner=registered&sort=name&per_page=100${filter}`)
  return body.data.map(({ id }: { id: string }) => id) as string[]
}
const unregisterOne = (id: string | undefined) => askAsPage(page, 'DELETE', `/devices/${id}/registration`)

test('what the owners of chosen devices read is copied as messages', { skip }, async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const { body: checks } = await askAsPage(page, 'GET', '/views/checks?state=failing')
  for (const { id } of checks.data) {
    await askAsPage(page, 'PATCH', `/checks/${id}/configurations`, { remediation_strategy: 'notify_only' })
  }
  await visit('/devices?owner=registered&per=25')
  await untilIdle(page)
  await page.locator('thead input[type=checkbox]').click()
  await page.getByRole('button', { name: 'Copy as messages' }).click()
  await page.getByText(/^[1-9]\d* messages? copied/).waitFor()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(text, /^To: \S+@\S+\n\n/)
  assert.deepEqual(await violations(page), [])
})

test('some devices are unregistered together; those that nobody owns are counted apart', { skip }, async () => {
  const [free = '', one = '', two = ''] = await owned()
  await unregisterOne(free)
  await visit('/devices?sort=name')
  await page.getByText('1–40 of 40').waitFor()
  for (const id of [free, one]) await box(id).click()
  const button = page.getByRole('button', { name: /^Unregister…/ })
  assert.equal(await button.textContent(), 'Unregister… (1 of 2)')
  await box(two).click()
  assert.equal(await button.textContent(), 'Unregister… (2 of 3)')
  await button.click()
  const dialog = page.getByRole('dialog', { name: 'Unregister 2 devices?' })
  await dialog.getByText('can no longer sign in with them').waitFor()
  await dialog.getByText('1 selected device has no owner and stays as it is').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Cancel')
  assert.deepEqual(await violations(page), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.getByText('3 selected', { exact: true }).count(), 1, 'what is selected stays so')
  await button.click()
  await dialog.getByRole('button', { name: 'Unregister 2 devices' }).click()
  await page.getByText('2 devices are no longer registered').waitFor()
  await page.getByText('3 selected').waitFor({ state: 'detached' })
  const left = await owned()
  assert.deepEqual([left.includes(one), left.includes(two)], [false, false])
  const { body: log } = await askAsPage(page, 'GET', '/views/audit_logs?per_page=100')
  const told = log.data.filter(({ description }: { description: string }) => description.startsWith('Ended the reg'))
  assert.equal(told.length, 3, 'one entry for each device, as if they had been unregistered alone')
})

test('what is refused is told by name and reason', { skip }, async () => {
  const [one = '', two = '', three = ''] = await owned()
  const { name } = (await askAsPage(page, 'GET', `/devices/${one}`)).body
  await visit('/devices?sort=name')
  await page.getByText('1–40 of 40').waitFor()
  for (const id of [one, two]) await box(id).click()
  await page.getByRole('button', { name: 'Unregister…' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Unregister 2 devices' })
  await confirm.waitFor()
  // Someone else is quicker.
  await page.route('**/unregistrations', async (route) => {
    await unregisterOne(one)
    await route.continue()
  })
  await confirm.click()
  const account = page.getByRole('dialog', { name: '1 device is no longer registered' })
  await account.getByText('1 device refused').waitFor()
  await account.getByRole('link', { name }).waitFor()
  await account.getByText('The device is not registered to anyone.').waitFor()
  // The list below is read again, twice, and says that nobody owns the two; the account of them stays.
  const owner = (id: string) => page.locator('tr').filter({ has: page.locator(`[href$="/devices/${id}"]`) })
  await owner(two).getByText('Not registered').waitFor()
  await unregisterOne(three)
  await page.evaluate(() => {
    const now = Date.now
    Date.now = () => now() + 60_000
    dispatchEvent(new Event('visibilitychange'))
  })
  await owner(three).getByText('Not registered').waitFor()
  await account.getByText('1 device refused').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.unroute('**/unregistrations')
  await account.getByRole('button', { name: 'Back to the list' }).click()
  await page.getByText('2 selected').waitFor({ state: 'detached' })
})

test('all that a filter finds is unregistered after its number was typed, in steps that can be stopped', {
  skip,
}, async () => {
  const before = (await owned()).length
  assert.ok(before > 26, String(before))
  const begin = async (count: number) => {
    await visit('/devices?per=25&sort=name')
    await page.getByText('1–25 of 40').waitFor()
    await page.locator('tbody input[type=checkbox]').first().click()
    await page.getByRole('button', { name: 'Select all 40' }).click()
    await page.getByRole('button', { name: `Unregister… (${count} of 40)` }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: `Unregister ${count} devices` })
    await confirm.waitFor()
    assert.ok(await confirm.isDisabled())
    await page.getByLabel(`Type ${count} to continue`).fill(String(count))
    return confirm
  }
  const bodies: number[] = []
  const [sent, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/unregistrations', async (route) => {
    bodies.push(route.request().postDataJSON().device_ids.length)
    sent.resolve()
    await held.promise
    await route.continue()
  })
  await (await begin(before)).click()
  await page.getByText(`0 of ${before} done`).waitFor()
  // What was not sent yet would not be done at all.
  await sent.promise
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  held.resolve()
  await page.getByRole('dialog', { name: '25 devices are no longer registered' }).waitFor()
  await page.getByText('Stopped; the rest of them stay as they were.').waitFor()
  assert.deepEqual(bodies, [25])
  assert.equal((await owned()).length, before - 25)
  await (await begin(before - 25)).click()
  await page.getByText(`${before - 25} devices are no longer registered`).waitFor()
  assert.deepEqual(await owned(), [])
  await visit('/devices?owner=none')
  await page.locator('tbody input[type=checkbox]').first().click()
  await page.getByText('1 selected').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Unregister/ }).count(), 0, 'nobody owns it')
})

test('all that a filter finds is added to a group', { skip }, async () => {
  const { body: group } = await askAsPage(page, 'POST', '/device_groups', { name: 'Laptops' })
  const { body: macs } = await askAsPage(page, 'GET', '/views/devices?count=true&platform=Mac')
  await visit('/devices?platform=Mac&per=25')
  await page.locator('thead input[type=checkbox]').click()
  if (macs.count > 25) await page.getByRole('button', { name: `Select all ${macs.count}` }).click()
  await page.getByRole('button', { name: 'Add to group…' }).click()
  const dialog = page.getByRole('dialog', { name: `Add ${macs.count} devices to a group` })
  await dialog.getByRole('combobox').selectOption('Laptops')
  assert.deepEqual(await violations(page), [])
  await dialog.getByRole('button', { name: `Add ${macs.count} devices` }).click()
  await page.getByText(`${macs.count} devices added to Laptops`).waitFor()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await askAsPage(page, 'GET', `/views/devices?count=true&group_id=${group.id}`)
  assert.equal(body.count, macs.count)
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
