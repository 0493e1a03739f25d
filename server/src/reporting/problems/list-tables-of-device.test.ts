import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'
import { findReportingTable, inventoryQueries } from '../catalogue/catalogue.ts'
import { readSnapshot } from '../read-snapshot.ts'
import { recordSnapshots } from '../record-snapshots.ts'
import { rememberSnapshotTimes } from '../snapshot-times.ts'
import { recordProblems } from './record-problems.ts'

const app = testApp()
const make = makeIn(app)
const takenAt = '2026-11-20T08:00:00.000Z'
const since = '2026-11-20T09:00:00.000Z'
const denied = { type: 'denied', message: 'distributed query is denylisted' } as const

beforeEach(() => app.reset())

const placeOf = (deviceId: string) => ({ organizationId: app.tenant.organizationId, deviceId })

async function report(deviceId: string, name: string) {
  const table = findReportingTable(name)
  assert.ok(table?.kind === 'inventory')
  const snapshot = await readSnapshot({ table, rows: [], takenAt, isScheduled: true })
  await recordSnapshots(app.db, rememberSnapshotTimes(), placeOf(deviceId), [snapshot], takenAt)
}

type Listed = { name: string; taken_at: string | null; problem: unknown }

for (const version of apiVersions) {
  test(`listTablesOfDevice says of every table of the platform how it stands in version ${version}`, async () => {
    const { id } = await make.device(app.tenant.organizationId, { device_type: 'Linux' })
    const problems = ['device_users', 'device_uptime'].map((tableName) => ({ tableName, ...denied }))
    await report(id, 'device_os_version')
    await report(id, 'device_uptime')
    await recordProblems(app.db, placeOf(id), problems, since)
    const { status, body } = await app.ask('GET', `/devices/${id}/reporting_tables?per_page=100`, {
      key: app.tenant.readOnlyKey,
      headers: { 'x-service-api-version': version },
    })
    const stands: Readonly<Record<string, object>> = {
      device_os_version: { taken_at: takenAt },
      device_uptime: { taken_at: takenAt, problem: { ...denied, since } },
      device_users: { problem: { ...denied, since } },
    }
    const data = [...inventoryQueries.linux.keys()].map((name) => ({
      ...{ name, taken_at: null, problem: null },
      ...stands[name],
    }))
    const pagination = { next: '', current_cursor: '', next_cursor: '', count: data.length }
    assert.deepEqual([status, body], [200, { data, pagination }])
  })
}

test('the tables of a device are paged by name', async () => {
  const { id } = await make.device(app.tenant.organizationId, { device_type: 'Mac' })
  await recordProblems(app.db, placeOf(id), [{ tableName: 'device_users', ...denied }], since)
  const seen: Listed[] = []
  for (let next = `/devices/${id}/reporting_tables?per_page=7`; next !== ''; ) {
    const { body } = await app.ask('GET', next.replace(baseUrl, ''))
    seen.push(...body.data)
    next = body.pagination.next
  }
  assert.deepEqual(
    seen.map(({ name }) => name),
    [...inventoryQueries.darwin.keys()],
  )
  assert.deepEqual(
    seen.filter(({ problem }) => problem !== null).map(({ name }) => name),
    ['device_users'],
  )
})

test('a phone has no tables, and a device of others, a deleted one and an unknown one are not found', async () => {
  const phone = await make.device(app.tenant.organizationId, { device_type: 'iOS', form_factor: 'phone' })
  assert.deepEqual((await app.ask('GET', `/devices/${phone.id}/reporting_tables`)).body.data, [])
  const gone = await make.device(app.tenant.organizationId, { deleted_at: takenAt })
  const theirs = await make.device((await make.organization()).id)
  for (const id of [gone.id, theirs.id, '900000000000000001']) {
    const { status, body } = await app.ask('GET', `/devices/${id}/reporting_tables`)
    assert.deepEqual([status, body.error], [404, 'not_found'], id)
  }
})

test('without the feature, the tables of a device are not available', async () => {
  const { organizationId } = app.tenant
  const { id } = await make.device(organizationId)
  const change = { feature: 'reporting', isOn: false } as const
  await transact(app.db, (tx) => setFeature(tx, change, systemChange(organizationId, takenAt)))
  const { status, body } = await app.ask('GET', `/devices/${id}/reporting_tables`)
  assert.deepEqual([status, body.error], [401, 'feature_unavailable'])
})
