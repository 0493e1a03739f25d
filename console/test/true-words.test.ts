import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../server/test/support/muster-process.ts'
import { askAsPage, deadlineMs, lackOfBrowser as skip, untilIdle } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'
import { page, visit, withConsole } from './signed-in.ts'

type Check = { id: string; name: string; failing: number; counted: number; passing: number }
type Issue = { id: string; title: string; check: { id: string; name: string }; device: { id: string } }

/** The checks that fail most: the first blocks, the second tells owners, the others only report. */
let checks: readonly Check[]

const found = async <Row>(path: string) => (await askAsPage(page, 'GET', path)).body.data as readonly Row[]

async function firstIssue(path: string): Promise<Issue> {
  let first: Issue | undefined
  await until(deadlineMs, async () => {
    first = (await found<Issue>(path))[0]
    return first !== undefined
  })
  return first ?? assert.fail(path)
}

withConsole(12, {
  async setUp() {
    const all = await found<Check>('/views/checks?per_page=100')
    checks = all.filter(({ failing }) => failing > 0).toSorted((one, other) => other.failing - one.failing)
    assert.ok(checks.length > 2, 'the simulated devices fail several checks')
    for (const [index, remediation_strategy] of (['block_immediately', 'notify_only'] as const).entries()) {
      await askAsPage(page, 'PATCH', `/checks/${checks[index]?.id}/configurations`, { remediation_strategy })
    }
  },
})

test('the dashboard counts what fails apart from what is not known, and leads to the checks', { skip }, async () => {
  const { body } = await askAsPage(page, 'GET', '/views/summary')
  const [worst] = body.failing_checks
  await visit('/')
  const table = page.getByRole('region', { name: 'Checks that fail most' })
  const row = table.getByRole('row').filter({ has: page.getByRole('link', { name: worst.check_name, exact: true }) })
  await row.waitFor()
  const cells = await row.getByRole('cell').allTextContents()
  assert.equal(cells[2]?.replace(/\s+/g, ' ').trim(), `${worst.failing} / ${worst.counted}`)
  assert.equal(cells[4], String(worst.errored + worst.unknown + worst.stale + worst.pending))
  assert.match(cells[5] ?? '', /^\d+\u2009%$/)
  assert.deepEqual(await violations(page), [])
  await row.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: worst.check_name }).waitFor()
  await page.getByText(/^Passes on \d+ of \d+ devices?/).waitFor()
})

test('a blocked device says since when and because of what, and leads there', { skip }, async () => {
  const [check] = checks
  const issue = await firstIssue(`/views/issues?state=blocking&check=${check?.id}`)
  await visit(`/devices/${issue.device.id}`)
  const sentence = page.getByText(/^Blocked since/)
  await sentence.waitFor()
  assert.match(
    (await sentence.textContent()) ?? '',
    /^Blocked since \w{3} \d+ \w{3} \d\d:\d\d UTC: .+ \(check .+\)\. Nothing is connected: sign-in is not affected yet\. Connect your sign-in\.$/,
  )
  const open = page.getByRole('region', { name: 'Open issues' }).first()
  const first = open.getByRole('row').nth(1)
  await first.getByText(/^Blocking/).waitFor()
  assert.deepEqual(await violations(page), [])
  await first.getByRole('link', { name: check?.name ?? '' }).click()
  await page.getByRole('heading', { level: 1, name: check?.name ?? '' }).waitFor()
  await page.goBack()
  await sentence.getByRole('link', { name: issue.title }).click()
  await page.getByText(/until it is fixed/).waitFor()
  for (const path of [`/devices/${issue.device.id}`, '/']) {
    await visit(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilIdle(page)
    await assertFitsPhone(page)
  }
})

test('a blocked device and the preview say who hears of it, once something is connected', { skip }, async () => {
  const [check] = checks
  const issue = await firstIssue(`/views/issues?state=blocking&check=${check?.id}`)
  const body = { url: 'https://example.com/hook', events: ['device_trust.status_changed'] }
  const { status, body: made } = await askAsPage(page, 'POST', '/webhook_endpoints', body)
  assert.equal(status, 200, JSON.stringify(made))
  await visit(`/devices/${issue.device.id}`)
  await page.getByText(/^Blocked since .+ 1 webhook hears of it\.$/).waitFor()
  await visit(`/issues/${issue.id}`)
  await page.getByText('The device is blocked until it is fixed. 1 webhook hears of it.').waitFor()
  await visit(`/checks/${check?.id}/configuration`)
  await page.getByText('1 webhook will hear of each device.').waitFor()
  assert.deepEqual(await violations(page), [])
  await askAsPage(page, 'DELETE', `/webhook_endpoints/${made.id}`)
})

test('results of a device lead to their checks and issues', { skip }, async () => {
  const issue = await firstIssue(`/views/issues?state=report_only&check=${checks[2]?.id}`)
  await visit(`/devices/${issue.device.id}`)
  const results = page.getByRole('region', { name: 'Check results' })
  const line = results.locator('li').filter({ has: page.getByRole('link', { name: issue.check.name, exact: true }) })
  await line.getByRole('link').nth(1).click()
  await page.waitForURL(/\/issues/)
})

test('of an issue that only reports nobody is told, and no page says so', { skip }, async () => {
  const quiet = await firstIssue(`/views/issues?state=report_only&check=${checks[2]?.id}`)
  await visit(`/issues/${quiet.id}`)
  await page.getByText('The check only reports: the owner does not see it, and it blocks nobody.').waitFor()
  assert.equal(await page.locator('.pill.notified').count(), 0)
  await visit('/issues?state=report_only')
  await page.getByText('Report only', { exact: true }).nth(1).waitFor()
  assert.equal(await page.locator('.state.notified').count(), 0)
  const told = await firstIssue(`/views/issues?state=notified&check=${checks[1]?.id}`)
  await visit(`/issues/${told.id}`)
  await page.getByText('It notifies the owner and does not block.').waitFor()
  await visit(`/issues?state=notified`)
  await page.getByText('Notifies', { exact: true }).nth(1).waitFor()
  assert.deepEqual(await violations(page), [])
})
