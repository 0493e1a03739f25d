import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plusMs } from '../../src/base/time.ts'
import { recordLiveAnswers } from '../../src/live-queries/record-live-answers.ts'
import { baseUrl, testApp } from '../support/app.ts'
import { makeIn, startOfTests } from '../support/make.ts'

const harness = testApp()
const make = makeIn(harness.database)
const maxBytes = 2_000_000
const count = 30

/** All records of a list by the largest pages, none of which is larger than an answer may be. */
async function walk(path: string): Promise<Record<string, unknown>[]> {
  const records: Record<string, unknown>[] = []
  let pages = 0
  for (let next = `${path}?per_page=100`; next !== ''; ) {
    const { status, body } = await harness.ask('GET', next)
    assert.equal(status, 200)
    assert.ok(Buffer.byteLength(JSON.stringify(body)) <= maxBytes)
    assert.equal(body.pagination.count, body.data.length)
    records.push(...body.data)
    pages += 1
    next = body.pagination.next.replace(baseUrl, '')
  }
  assert.ok(pages > 1, 'the list is larger than an answer')
  return records
}

test('a list whose records are large answers fewer of them at a time, and all of them in the end', async () => {
  const { organizationId } = harness.tenant
  const check = await make.check(organizationId)
  const devices = []
  for (let index = 0; index < count; index += 1) devices.push(await make.device(organizationId))
  const rows = Array.from({ length: 48 }, (_, row) => ({
    KOLIDE_CHECK_STATUS: 'PASS',
    text: `${row} ${'字'.repeat(4_000)}`,
  }))
  for (const device of devices) await make.result({ device, check, rows, at: plusMs(startOfTests, 60_000) })
  const results = await walk(`/checks/${check.id}/results`)
  assert.deepEqual(
    results.map(({ device_id }) => device_id),
    devices.map(({ id }) => id),
  )
  const deviceIds = devices.map(({ id }) => id)
  const campaignId = await make.liveQuery(organizationId, { deviceIds })
  const answer = { campaignId, revision: 1, rowCount: 1, errorMessage: null, warningMessage: null }
  const text = JSON.stringify([{ text: 'x'.repeat(99_000) }])
  await recordLiveAnswers(
    harness.db,
    organizationId,
    deviceIds.map((deviceId) => ({ ...answer, deviceId, rows: text })),
  )
  assert.equal((await walk(`/live_query_campaigns/${campaignId}/query_results`)).length, count)
})
