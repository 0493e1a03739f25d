import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { recordLiveAnswers } from '../../live-queries/record-live-answers.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn(restrictions: readonly string[] = []) {
  const admin = await addAdmin(app, {
    email: `maya${restrictions.length}@acme.example`,
    access: restrictions.length > 0 ? 'limited' : 'full',
    restrictions,
  })
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const linesOf = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')

test('answers to a live query are listed with the names of the devices, errors apart, and exported row by row', async () => {
  const { organizationId } = app.tenant
  const mac = await make.device(organizationId, { name: 'mac' })
  const odd = await make.device(organizationId, { name: '=odd' })
  const none = await make.device(organizationId, { name: 'none' })
  const browser = await signedIn()
  const asked = { name: 'Ports', sql: 'select * from listening_ports', targeted_device_ids: [mac.id, odd.id, none.id] }
  const { body: campaign } = await browser.ask('POST', '/live_query_campaigns', asked)
  const answer = { organization_id: organizationId, campaign_id: campaign.id, revision: 1 }
  const many = Array.from({ length: 700 }, (_, index) => ({ port: String(index), address: '+1' }))
  await app.db
    .insertInto('live_query_results')
    .values([
      { ...answer, device_id: mac.id, row_count: 700, rows: JSON.stringify(many) },
      { ...answer, device_id: odd.id, row_count: 0, error_message: 'no such table', rows: '[]' },
      { ...answer, device_id: none.id, row_count: 0, rows: '[]' },
    ])
    .execute()
  const path = `/views/live_queries/${campaign.id}/answers`
  const all = await browser.ask('GET', path)
  assert.deepEqual(
    all.body.data.map(({ device_name: name, row_count: count }: { device_name: string; row_count: number }) => [
      name,
      count,
    ]),
    [
      ['mac', 700],
      ['=odd', 0],
      ['none', 0],
    ],
  )
  const errors = await browser.ask('GET', `${path}?kind=errors`)
  assert.deepEqual(errors.body.data, [{ ...all.body.data[1], error_message: 'no such table' }])
  assert.equal((await browser.ask('GET', `${path}?kind=rows`)).body.data.length, 2)
  const [listed] = (await browser.ask('GET', '/views/live_queries?search=PORTS')).body.data
  assert.deepEqual([listed.id, listed.waiting_devices_count], [campaign.id, 3])
  assert.deepEqual((await browser.ask('GET', '/views/live_queries?search=%25')).body.data, [])

  const lines = linesOf((await browser.ask('GET', `/views/exports/live_queries/${campaign.id}`)).body)
  assert.equal(lines[0], 'device_id,device,error,address,port')
  assert.equal(lines.length, 703)
  assert.equal(lines[1], `${mac.id},mac,,'+1,0`)
  assert.equal(lines[701], `${odd.id},'=odd,no such table,,`)
  assert.equal(lines[702], `${none.id},none,,,`)
  const other = await app.addTenant('Other')
  const foreign = openBrowser(app)
  const stranger = await addAdmin(app, { email: 'other@acme.example', organizationId: other.organizationId })
  assert.equal((await foreign.signIn(stranger.email)).status, 200)
  assert.equal((await foreign.ask('GET', path)).status, 404)
  assert.equal((await foreign.ask('GET', `/views/exports/live_queries/${campaign.id}`)).status, 404)
})

test('the export of a live query has the rows of every part in their order, however long answers are', async () => {
  const { organizationId } = app.tenant
  const devices = [
    await make.device(organizationId, { name: 'one' }),
    await make.device(organizationId, { name: 'two' }),
  ]
  const browser = await signedIn()
  const targeted = devices.map(({ id }) => id)
  const asked = { name: 'Packages', sql: 'select * from deb_packages', targeted_device_ids: targeted }
  const { body: campaign } = await browser.ask('POST', '/live_query_campaigns', asked)
  const numbered = (from: number, count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, index) => ({ n: String(from + index) })))
  const parts = [1_000, 30, 999, 1_000, 1]
  const starts = parts.map((_, index) => 41 + parts.slice(0, index).reduce((sum, count) => sum + count, 0))
  await recordLiveAnswers(
    app.db,
    organizationId,
    devices.map(({ id: deviceId }) => ({
      ...{ campaignId: campaign.id, deviceId, revision: 1, errorMessage: null, warningMessage: null },
      ...{ rowCount: 3_070, rows: numbered(1, 40) },
      more: {
        parts: parts.map((count, index) => ({
          firstRow: starts[index] ?? 0,
          rows: numbered(starts[index] ?? 0, count),
        })),
        ...{ rowCount: 3_030, characters: 1, warningWithout: null },
      },
    })),
  )
  const [answered] = (await browser.ask('GET', `/views/live_queries/${campaign.id}/answers`)).body.data
  assert.deepEqual([answered.row_count, answered.kept_count, answered.results.length], [3_070, 3_070, 40])
  const lines = linesOf((await browser.ask('GET', `/views/exports/live_queries/${campaign.id}`)).body)
  const expected = devices.flatMap(({ id, name }) =>
    Array.from({ length: 3_070 }, (_, index) => `${id},${name},,${index + 1}`),
  )
  assert.deepEqual(lines.slice(1), expected)
})

test('the export of a report has every row, slice by slice', async () => {
  const browser = await signedIn()
  const rows = Array.from({ length: 1_234 }, (_, at) => ({ name: `Zoë ${at}`, at }))
  const { id } = await make.reportingQuery(app.tenant.organizationId, { rows })
  const lines = linesOf((await browser.ask('GET', `/views/exports/reporting_queries/${id}`)).body)
  assert.deepEqual(lines, ['name,at', ...rows.map(({ name, at }) => `${name},${at}`)])
})

test('a reporting query is made, changed, run and deleted, and refused with the fault of its SQL', async () => {
  const browser = await signedIn()
  const limited = await signedIn(['create_live_query'])
  const path = '/reporting_queries'
  const wanted = { name: 'Devices', sql: 'select device_id from device_uptime', interval_seconds: 3_600 }
  assert.equal((await limited.ask('POST', path, wanted)).status, 403)
  const made = await browser.ask('POST', path, wanted)
  assert.deepEqual([made.status, made.body.name, made.body.results_updated_at], [200, 'Devices', null])
  const one = `${path}/${made.body.id}`
  const times = await limited.ask('GET', `/views${one}/times`)
  assert.deepEqual([times.body.interval_seconds, times.body.failed_at], [3_600, null])
  const renamed = await browser.ask('PATCH', one, { name: 'Uptimes' })
  assert.deepEqual([renamed.body.name, renamed.body.osquery_sql], ['Uptimes', wanted.sql])
  const refused = await browser.ask('PATCH', one, { sql: 'delete from devices' })
  assert.deepEqual([refused.status, refused.body.errors[0].field], [422, 'sql'])
  assert.equal((await browser.ask('POST', `${one}/run`)).status, 204)
  assert.equal((await limited.ask('POST', `${one}/run`)).status, 403)
  const lines = linesOf((await browser.ask('GET', `/views/exports/reporting_queries/${made.body.id}`)).body)
  assert.deepEqual(lines, [''], 'no run has given columns yet')
  assert.equal((await browser.ask('DELETE', one)).status, 204)
  assert.equal((await browser.ask('POST', `${one}/run`)).status, 404)
  assert.equal((await browser.ask('GET', `/views/exports/reporting_queries/${made.body.id}`)).status, 404)
})
