import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompanionSummary, DeviceCompanion } from '@muster/contract/console-companions.ts'
import { lackOfBrowser as skip } from './browser.ts'
import { keepPicture } from './keep-pictures.ts'
import { assertFitsPhone, violations } from './look.ts'
import { page, visit, withConsole } from './signed-in.ts'

withConsole(12)

const facts = () => page.getByRole('complementary', { name: 'Facts' }).getByRole('region', { name: 'Companion' })

const kid = 'trQULYmfvQh1Yq8wOnQpvOenTW-ki4PJSqEAP_Svvq4'
const linked: NonNullable<DeviceCompanion['companion']> = {
  ...{ state: 'linked', kid, agent_version: '1.4.0', is_bundled: false, linked_by: 'file' },
  ...{ linked_at: new Date(Date.now() - 7_200_000).toISOString(), last_contact_at: new Date().toISOString() },
  ...{ last_proved_at: null, seen_twice_at: null, port: 17_443, taken_ports: [15_861] },
}

/** The server of the tests has no companions: it is answered for. */
const answer = async (companion: DeviceCompanion['companion']) => {
  await page.unroute('**/views/devices/*/companion')
  await page.route('**/views/devices/*/companion', (route) => route.fulfill({ json: { companion } }))
  await page.reload()
}

const row = (name: string) =>
  facts()
    .locator('.pair', { has: page.getByText(name, { exact: true }) })
    .locator('dd')

test('the page of a device says that it has no companion, and where to get one', { skip }, async () => {
  await visit('/devices?platform=Linux')
  await page.locator('[data-row-link]').first().click()
  await facts().getByText('No companion').waitFor()
  await facts().getByRole('link', { name: 'Install one' }).click()
  await page.getByRole('heading', { name: 'See that it runs' }).waitFor()
  const chosen = await page.getByLabel('Format').locator('option:checked').textContent()
  assert.equal(chosen, `Companion, .deb, ${process.arch}`)
  await page.goBack()
  await facts().waitFor()
})

test('the page of a device shows how its companion stands', { skip }, async () => {
  await answer(linked)
  await row('State').getByText('Linked', { exact: true }).waitFor()
  await row('Version').getByText('1.4.0').waitFor()
  await row('Key').getByText(kid).waitFor()
  await row('Key').getByRole('button', { name: 'Copy the key' }).waitFor()
  await row('Linked since').getByText('2 h ago').waitFor()
  await row('Last check-in').locator('time').waitFor()
  await row('Last proof').getByText('never').waitFor()
  await row('Listens on').getByText('port 17443', { exact: true }).waitFor()
  await facts().getByText('sudo /usr/lib/muster-companion/muster-companion selftest', { exact: true }).waitFor()
  await facts().getByRole('button', { name: 'Copy the command' }).waitFor()
  assert.equal(
    await facts()
      .getByText(/seen twice|trial|hold all of its ports/)
      .count(),
    0,
  )
  assert.deepEqual(await violations(page), [])
})

test('the page of a device says what is wrong with the key of its companion', { skip }, async () => {
  const seen = { seen_twice_at: new Date(Date.now() - 3_600_000).toISOString() }
  await answer({ ...linked, ...seen, is_bundled: true, linked_by: 'node_key', last_proved_at: linked.linked_at })
  await facts().getByText('Key seen twice, last 1 h ago').waitFor()
  await facts().getByText('muster companion --new-key').waitFor()
  await facts().getByText('Key not protected: trial.').waitFor()
  assert.equal(await facts().getByText('selftest').count(), 0, 'the bundled agent has no such command')
  await row('Last proof').getByText('2 h ago').waitFor()
  assert.deepEqual(await violations(page), [])
  await assertFitsPhone(page)
  await answer({ ...linked, state: 'linking', linked_at: null, linked_by: null })
  await row('State').getByText('Waiting for its link').waitFor()
  await row('Linked since').getByText('not yet').waitFor()
})

test('the page of a device says that other programs hold all ports of its companion', { skip }, async () => {
  await answer({ ...linked, port: null, taken_ports: [15_861, 17_443] })
  await facts().getByText('Other programs hold all of its ports (15861, 17443)').waitFor()
  assert.equal(await row('Listens on').count(), 0)
  assert.deepEqual(await violations(page), [])
  await assertFitsPhone(page)
  await answer({ ...linked, port: null, taken_ports: [] })
  await row('State').waitFor()
  assert.equal(
    await facts()
      .getByText(/Listens on|hold all of its ports/)
      .count(),
    0,
    'it has not said',
  )
})

test('the page of a Mac has the command of its package, and that of Windows the one that there is', {
  skip,
}, async () => {
  const own = page.url()
  for (const [platform, command] of [
    ['Mac', 'sudo /opt/muster-companion/muster-companion selftest'],
    ['Windows', 'npx muster companion selftest'],
  ]) {
    await visit(`/devices?platform=${platform}`)
    await page.locator('[data-row-link]').first().click()
    await facts().waitFor()
    await answer(linked)
    await facts()
      .getByText(command ?? '', { exact: true })
      .waitFor()
    assert.deepEqual(await violations(page), [])
    await keepPicture(page, `/companion-of-${platform}`)
    await assertFitsPhone(page)
  }
  await page.goto(own)
  await facts().waitFor()
})

test('a companion that cannot be read is a failure that says so', { skip }, async () => {
  await page.unroute('**/views/devices/*/companion')
  await page.route('**/views/devices/*/companion', (route) => route.fulfill({ status: 503, json: {} }))
  await page.reload()
  await page.getByRole('alert').filter({ hasText: 'The companion could not be loaded.' }).waitFor()
  await page.unroute('**/views/devices/*/companion')
})

test('the page of enrolling counts companions, and leads to the computers without one', { skip }, async () => {
  const counts: CompanionSummary = {
    computers: 196,
    linked: 180,
    linking: 4,
    none: 12,
    seen_twice: 0,
    without_device: 600,
    by_type: [{ device_type: 'Linux', computers: 196, none: 12 }],
  }
  await page.route('**/views/companion_summary', (route) => route.fulfill({ json: counts }))
  await visit('/devices/enroll')
  await page.getByText('180 of 196 computers have a linked companion; 4 wait for their link.').waitFor()
  await page.getByText('600 companions wait on machines that osquery has not enrolled.').waitFor()
  await page.unroute('**/views/companion_summary')
  await page.reload()
  await page.getByText('0 of 12 computers have a linked companion.').waitFor()
  assert.deepEqual(await violations(page), [])
  const macs =
    /^This server makes no companion for macOS or Windows yet: \d+ computers are refused where a connection enforces\.$/
  await page.locator('.companion-counts').getByText('This server makes no companion for').waitFor()
  const said = (await page.locator('.companion-counts').textContent()) ?? ''
  assert.match(said.slice(said.indexOf('This server makes')), macs)
  const listed = said.match(/See the (\d+) without one/)?.[1] ?? assert.fail(said)
  await page.getByRole('link', { name: `See the ${listed} without one` }).click()
  await page.locator('[data-row-link]').nth(1).waitFor()
  await page.getByRole('button', { name: 'Remove the filter Companion' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('companion'), 'none')
  await visit('/devices?companion=linked')
  await page.getByText('its companion is linked').waitFor()
})
