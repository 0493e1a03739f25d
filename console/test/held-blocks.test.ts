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
