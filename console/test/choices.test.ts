import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { violations } from './look.ts'
import { opened, page, visit, withConsole } from './signed-in.ts'

withConsole(12)

const go = async (path: string, title: string | RegExp) => {
  await visit(path)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
}
const button = (name: string | RegExp) => page.getByRole('button', { name })
const entryOf = async () => (await askAsPage(page, 'GET', '/audit_logs?per_page=1')).body.data[0].description

test('how long logs are kept is chosen, and keeping for less is asked first', { skip }, async () => {
  await go('/settings/retention', 'Retention')
  const log = page.getByLabel('Sign-in log')
  await log.fill('7')
  await page.getByText('Must be a whole number from 30 to 3650').waitFor()
  await log.fill('120')
  assert.deepEqual(await violations(page), [])
  await button('Save 1 change').click()
  await page.getByText(/Sign-in log: what is older than 120 days is permanently deleted within the hour/).waitFor()
  assert.deepEqual(await violations(page), [])
  await button('Shorten retention').click()
  await page.getByText('Retention saved').waitFor()
  assert.equal(await entryOf(), 'Changed how long "Sign-in log" is kept from 400 to 120 days.')
  await go('/settings/registration', 'Registration')
  await page.getByLabel('After approval').check()
  await button('Require approval for first devices').click()
  await page.getByText('Saved how first devices are registered').waitFor()
  assert.deepEqual(await violations(page), [])
})

test('a second factor is not required by someone who has none, and whoever would be hit is named', {
  skip,
}, async () => {
  await go('/settings/sign-in', 'Sign-in')
  await button('Require…').click()
  await page.getByText('Mira has none. From the next click on, they can only set one up.').waitFor()
  assert.deepEqual(await violations(page), [])
  await button('Require a second factor').click()
  await page.getByText(/It cannot be switched on by someone who has none/).waitFor()
  await button('Cancel').click()
  await opened.trial.run('organizations', 'set', 'is_second_factor_required', 'true')
  await page.goto(`${opened.trial.baseUrl}/console/devices`)
  await page.getByRole('heading', { level: 1, name: 'Add a second factor' }).waitFor()
  await page.getByText(/Your organization requires a second factor/).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Later' }).count(), 0)
  assert.deepEqual(await violations(page), [])
  await opened.trial.run('organizations', 'set', 'is_second_factor_required', 'usual')
})

test('a device group is renamed, and not deleted while a check names it', { skip }, async () => {
  const { body: group } = await askAsPage(page, 'POST', '/device_groups', { name: 'Early' })
  const { body: checks } = await askAsPage(page, 'GET', '/checks?per_page=1')
  const [check] = checks.data as { id: string; name: string }[]
  const path = `/checks/${check?.id}/configurations`
  await askAsPage(page, 'PATCH', path, { targeted_groups: [group.id] })
  await go(`/groups/devices/${group.id}`, 'Early')
  await button('Edit…').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('First')
  assert.deepEqual(await violations(page), [])
  await button('Save the group').click()
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor()
  await button('Delete…').click()
  await page.getByRole('link', { name: check?.name ?? '' }).waitFor()
  await page.getByText('Is for its devices').waitFor()
  assert.deepEqual(await violations(page), [])
  await button('Close').click()
  await askAsPage(page, 'PATCH', path, { targeted_groups: [] })
  await button('Delete…').click()
  await button('Delete the group').click()
  await page.getByRole('heading', { level: 1, name: 'Device groups' }).waitFor()
})

test('what someone else changed of a stream stands beside what is typed', { skip }, async () => {
  const { body: stream } = await askAsPage(page, 'POST', '/ssf_streams', { name: 'North', description: 'One' })
  await go(`/settings/developers/streams/${stream.id}/settings`, 'North')
  await page.getByLabel('Name', { exact: true }).fill('Mine')
  const theirs = { name: 'Theirs', description: 'Two' }
  assert.equal((await askAsPage(page, 'PATCH', `/ssf_streams/${stream.id}`, theirs)).status, 200)
  await button('Save changes').click()
  const meanwhile = page.getByRole('region', { name: 'Changed in the meantime' })
  await meanwhile.getByText('name: theirs is “Theirs”, yours is “Mine”. Saving replaces theirs.').waitFor()
  await meanwhile.getByText('description: theirs is “Two”; it is kept.').waitFor()
  assert.equal(await page.getByLabel('Description').inputValue(), 'Two')
  assert.deepEqual(await violations(page), [])
  await button('Save changes').click()
  await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor()
  const { body } = await askAsPage(page, 'GET', `/ssf_streams/${stream.id}`)
  assert.deepEqual([body.name, body.description], ['Mine', 'Two'])
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened.faults, [])
})
