import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../server/test/support/muster-process.ts'
import { askAsPage, deadlineMs, lackOfBrowser as skip } from './browser.ts'
import { violations } from './look.ts'
import { page, visit, withConsole } from './signed-in.ts'

type CheckRow = { id: string; name: string; failing: number }

/** With the person of the other devices more than one check may block at once. */
const owners = 11
let worst: CheckRow

withConsole(80, {
  async setUp() {
    await until(deadlineMs, async () => {
      const { body } = await askAsPage(page, 'GET', '/views/checks?per_page=100')
      const [first] = (body.data as CheckRow[]).toSorted((one, other) => other.failing - one.failing)
      if (first) worst = first
      return worst.failing >= owners
    })
    await spreadOwners()
  },
})

/** The simulated devices are all of one person, who would count once. */
async function spreadOwners(): Promise<void> {
  const { body } = await askAsPage(page, 'GET', `/views/issues?check=${worst.id}&state=open&per_page=100`)
  const failing = new Set((body.data as { device: { id: string } }[]).map(({ device }) => device.id))
  const registrations = []
  for (const deviceId of [...failing].slice(0, owners)) {
    const email = `owner-${deviceId}@example.com`
    const added = await askAsPage(page, 'POST', '/people', { name: `Owner ${deviceId}`, email })
    registrations.push({ device_id: deviceId, person_id: added.body.id as string })
  }
  await askAsPage(page, 'POST', '/registrations', { registrations })
}

const countOf = async (state: string): Promise<number> =>
  (await askAsPage(page, 'GET', `/views/issues?check=${worst.id}&state=${state}&per_page=100`)).body.data.length

test('an administrator lets a check block many devices, is told that they are held, and releases them', {
  skip,
}, async () => {
  await visit(`/checks/${worst.id}/configuration`)
  const preview = page.getByRole('complementary', { name: 'Preview' })
  await page.getByRole('radio', { name: /Block immediately/ }).click()
  await preview.getByText('Will be held:').waitFor()
  await preview.getByText('0 blocked').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: /^Save, and hold the blocks of \d+ devices$/ }).click()
  await page.getByText(`Saved “${worst.name}”`).waitFor()

  await visit('/')
  const notice = page.getByText(/^The blocks of \d+ devices of \d+ people are held\.$/)
  await notice.waitFor({ timeout: deadlineMs })
  assert.deepEqual(await violations(page), [])
  assert.equal(await countOf('blocking'), 0)
  await page.getByRole('link', { name: worst.name }).first().click()
  await page.getByRole('navigation', { name: 'Parts of the check' }).waitFor()
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByText('You can release these blocks later').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: /^Discard the blocks of/ }).click()
  await page.getByText(/were discarded/).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Discard…' }).count(), 0)
  await page.getByRole('button', { name: 'Release…' }).click()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: /^Block \d+ devices$/ }).click()
  await until(deadlineMs, async () => (await countOf('blocking')) >= 11)
  await page.getByText(/were discarded/).waitFor({ state: 'detached' })
  await visit('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.getByText(/are held\.$/).count(), 0)
})

/** What the server answers, as it would after an upgrade: how that comes about is the subject of its own tests. */
const answerAs = (path: string, change: (body: { data: object[] }) => object) =>
  page.route(`**/console/api${path}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: change(await response.json()) })
  })

test('an administrator sees at a check what an upgrade changed, and on a device what a newer osquery would settle', {
  skip,
}, async () => {
  const at = new Date(Date.now() - 3 * 3_600_000).toISOString()
  const numbers = { newly_failing: 12, newly_passing: 1, waiting: 40 }
  await answerAs(`/views/checks/${worst.id}`, (facts) => ({ ...facts, upgrade: { query_upgraded_at: at, ...numbers } }))
  const hold = {
    id: '1',
    check: { id: worst.id, name: worst.name },
    began_at: at,
    owner_limit: null,
    query_upgraded_at: at,
  }
  await answerAs('/views/block_holds', () => ({
    data: [{ ...hold, devices: 12, people: 11, taken_back: 0, discarded_at: null, discarded_by: null }],
  }))
  await visit(`/checks/${worst.id}`)
  await page
    .getByText('12 devices fail that did not fail before, and 1 passes that failed. 40 devices have yet to answer.')
    .waitFor()
  await page.getByText('which these devices fail and did not fail before. Until you decide,').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Release…' }).click()
  await page.getByRole('dialog').getByText('at once or after the days of grace that the check has.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'See what changed' }).click()
  await page.waitForURL(`**/checks/${worst.id}/history`)

  const unknown = (needed: string, reason: string) => [
    { KOLIDE_CHECK_STATUS: 'UNKNOWN', needs_osquery: needed, unknown_reason: reason },
  ]
  await answerAs('/devices/1/check_results**', ({ data: [one, two, three, ...others], ...page }) => ({
    ...page,
    data: [
      { ...one, status: 'unknown', check_result_data: unknown('5.14.0', '') },
      { ...two, status: 'unknown', check_result_data: unknown('5.9.1', '') },
      { ...three, status: 'unknown', check_result_data: unknown('', 'Nobody is signed in.') },
      ...others,
    ],
  }))
  await visit('/devices/1')
  await page.getByText('Upgrade osquery on this device to 5.14.0 or newer: 2 checks need it to tell.').waitFor()
  await page.getByText('Needs osquery 5.14.0 or newer').waitFor()
  await page.getByText('Nobody is signed in.').first().waitFor()
  assert.deepEqual(await violations(page), [])
  await page.unrouteAll()
})
