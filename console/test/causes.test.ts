import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../server/test/support/muster-process.ts'
import { askAsPage, deadlineMs, lackOfBrowser as skip, untilIdle } from './browser.ts'
import { keepPicture } from './keep-pictures.ts'
import { faultsOnPhone, violations } from './look.ts'
import { page, visit, withConsole } from './signed-in.ts'

type CheckRow = { id: string; name: string; failing: number }
let worst: CheckRow

withConsole(12, {
  async setUp() {
    await until(deadlineMs, async () => {
      const { body } = await askAsPage(page, 'GET', '/views/checks?per_page=100')
      const [first] = (body.data as CheckRow[]).toSorted((one, other) => other.failing - one.failing)
      if (first) worst = first
      return worst.failing >= 3
    })
  },
})

const configure = async (asked: object) => {
  const saved = await askAsPage(page, 'PATCH', `/checks/${worst.id}/configurations`, asked)
  assert.equal(saved.status, 200)
  const { body } = await askAsPage(page, 'GET', `/views/audit_logs?action=check.configured`)
  return body.data[0].id as string
}

const movedBy = async (entryId: string): Promise<number> =>
  (await askAsPage(page, 'GET', `/views/audit_logs/${entryId}/devices?count=true`)).body.count

async function settled(entryId: string): Promise<number> {
  const { body } = await askAsPage(page, 'GET', `/views/issues?check=${worst.id}&state=open&per_page=100`)
  const failing = new Set((body.data as { device: { id: string } }[]).map(({ device }) => device.id)).size
  await until(deadlineMs, async () => (await movedBy(entryId)) > 0)
  assert.ok(failing >= (await movedBy(entryId)))
  return movedBy(entryId)
}

test('an entry leads to the devices that it moved, and their history to the entry, with who did what', {
  skip,
}, async () => {
  const entry = await configure({ remediation_strategy: 'block_immediately' })
  const count = await settled(entry)
  await visit(`/audit/${entry}`)
  const heading = count === 1 ? 'Changed the state of 1 device' : `Changed the state of ${count} devices`
  await page.getByRole('heading', { name: heading }).waitFor()
  await untilIdle(page)
  assert.deepEqual(await violations(page), [])
  await keepPicture(page, '/audit-entry-moved')
  assert.deepEqual(await faultsOnPhone(page), [])
  await keepPicture(page, '/audit-entry-moved')

  await page.setViewportSize({ width: 1280, height: 800 })
  const devices = page.getByRole('region', { name: heading })
  await devices.getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Changes', exact: true }).waitFor()
  const said = page.getByRole('link', { name: `set “${worst.name}” to Block immediately` })
  await said.first().waitFor()
  await untilIdle(page)
  assert.deepEqual(await violations(page), [])
  await keepPicture(page, '/device-history-cause')
  assert.deepEqual(await faultsOnPhone(page), [])
  await keepPicture(page, '/device-history-cause')
  await page.setViewportSize({ width: 1280, height: 800 })
  await said.first().click()
  await page.waitForURL(new RegExp(`/audit/${entry}$`))
  await page.getByRole('heading', { name: heading }).waitFor()
})

test('an entry that moved no device says nothing of devices', { skip }, async () => {
  const entry = await configure({ exemptions_disallowed: true })
  await visit(`/audit/${entry}`)
  await page.getByText('Entry ID').waitFor()
  await untilIdle(page)
  assert.equal(await page.getByRole('heading', { level: 2 }).count(), 0)
})
