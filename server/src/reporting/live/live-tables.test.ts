import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import type { SearchExpression } from '../../base/lists/search-expression.ts'
import type { TableRecord, ViewTable } from '../reporting-table.ts'
import { runInSandbox } from '../sandbox/run-in-sandbox.ts'
import { liveTables } from './live-tables.ts'

const database = testDatabase()
const make = makeIn(database)

const tableOf = (name: string): ViewTable => {
  const table = liveTables.find((one) => one.name === name)
  return table ?? assert.fail(`there is no table ${name}`)
}

async function walk(table: ViewTable, organizationId: string, limit: number, search?: SearchExpression) {
  const records: TableRecord[] = []
  for (let after: string | undefined; ; ) {
    const page = { organizationId, params: {}, search, after, limit, order: 'ascending', now: startOfTests } as const
    const found = await table.list(database.db, page)
    records.push(...found)
    if (found.length < limit) return records
    after = found.at(-1)?.id
  }
}

async function populate(mark: string) {
  const { id } = await make.organization({ name: mark })
  const people = [
    await make.person(id, { name: `${mark} Ada`, email: `${mark}@example.com`, usernames: ['ada'] }),
    await make.person(id, { name: `${mark} Bob`, email: `${mark}-bob@example.com` }),
    await make.person(id, { name: 'gone', deprovisioned_at: startOfTests }),
  ]
  const personIds = people.map((person) => person.id)
  await make.personGroup(id, { name: `${mark} one`, personIds })
  await make.personGroup(id, { name: `${mark} two`, personIds })
  const checks = [await make.check(id, { name: `${mark} check` }), await make.check(id, { name: `${mark} other` })]
  const devices = [
    await make.device(id, { name: `${mark} mac`, registered_owner_id: personIds[0] ?? null }),
    await make.device(id, { name: `${mark} pc`, registered_owner_id: personIds[0] ?? null }),
    await make.device(id, { name: `${mark} deleted`, deleted_at: startOfTests }),
  ]
  for (const device of devices.slice(0, 2)) {
    for (const check of checks) await make.issue({ device, check })
  }
  return { id, people, checks }
}

test('every table is a view of the same columns, types and rows, of its organization alone', async () => {
  const { id, people, checks } = await populate('Ourmark')
  await populate('Theirmark')
  const sizes: Record<string, number> = {}
  for (const table of liveTables) {
    const { rows: described } = await sql<{ name: string; type: string }>`
      select column_name as name, data_type as type from information_schema.columns
      where table_schema = 'reporting' and table_name = ${table.name} order by ordinal_position`.execute(database.db)
    assert.deepEqual(
      described.map(({ name }) => name),
      table.columns.map(({ name }) => name),
      table.name,
    )
    const sqlTypes = { integer: 'bigint', time: 'timestamp with time zone' }
    for (const [at, column] of table.columns.entries()) {
      if (column.type !== 'text') assert.equal(described[at]?.type, sqlTypes[column.type], column.name)
      else assert.doesNotMatch(described[at]?.type ?? '', /bigint|timestamp/, column.name)
    }
    const records = await walk(table, id, 100)
    assert.deepEqual(await walk(table, id, 1), records, `${table.name} in pages of one`)
    assert.equal(new Set(records.map((record) => record.id)).size, records.length)
    assert.doesNotMatch(JSON.stringify(records), /Theirmark|gone|deleted/)
    const tables = new Set([table.name])
    const report = await runInSandbox(database.connection, { organizationId: id, sql: `table ${table.name}`, tables })
    assert.deepEqual(
      report?.rows.map(({ content }) => asRecord(JSON.parse(content))).toSorted(inOrder),
      records.map(({ columns }) => columns).toSorted(inOrder),
      table.name,
    )
    sizes[table.name] = records.length
    const [wanted] = table.searchField === 'check_id' ? checks : people
    const search: SearchExpression = [[{ field: table.searchField, operator: ':', value: wanted?.id ?? '' }]]
    const found = await walk(table, id, 1, search)
    assert.ok(found.length > 0 && found.every(({ columns }) => columns[table.searchField] === wanted?.id), table.name)
  }
  assert.deepEqual(sizes, {
    check_catalog: 2,
    check_results: 4,
    check_issues: 4,
    person_people: 2,
    person_groups: 4,
    person_registered_devices: 2,
  })
})

const inOrder = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)

const asRecord = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  )

test('a record has every column as text', async () => {
  const { id, checks } = await populate('Third')
  const [catalog] = await walk(tableOf('check_catalog'), id, 100)
  assert.deepEqual(catalog, {
    id: checks[0]?.id,
    columns: {
      check_id: checks[0]?.id,
      check_name: 'Third check',
      slug: checks[0]?.slug,
      type: 'osquery',
      platforms: '["darwin","windows","linux"]',
      topics: '[]',
      remediation_strategy: 'report_only',
      paused: 'false',
      configured_at: startOfTests,
      created_at: startOfTests,
    },
  })
})
