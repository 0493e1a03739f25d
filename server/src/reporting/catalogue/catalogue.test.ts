import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OsqueryPlatform } from '@muster/contract/osquery-schema.ts'
import { inventorySchedule } from '../schedule-inventory.ts'
import { inventoryQueries, inventoryTables, reportingTables } from './catalogue.ts'

const platforms = ['darwin', 'linux', 'windows'] as const satisfies OsqueryPlatform[]

for (const platform of platforms) {
  test(`what ${platform} devices are asked is far below what an agent takes as its configuration`, () => {
    const schedule = inventorySchedule(platform)
    assert.ok(JSON.stringify(schedule).length < 32_000)
    for (const [name, entry] of Object.entries(schedule)) {
      assert.match(name, /^report\/device_[a-z_]+\/[0-9a-f]{12}$/)
      assert.ok(entry.interval >= 3_600 && entry.interval <= 4 * 3_600, name)
      assert.deepEqual([entry.snapshot, entry.platform], [true, platform])
    }
  })
}

test('names are unique, in order, and fit for SQL', () => {
  const names = reportingTables.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)].sort())
  for (const { name, columns } of inventoryTables) {
    assert.match(name, /^device_[a-z_]{1,50}$/)
    const columnNames = columns.map((column) => column.name)
    assert.equal(new Set(columnNames).size, columnNames.length, name)
    for (const column of columnNames) {
      assert.match(column, /^[a-z][a-z0-9_]*$/)
      assert.ok(!['id', 'device_id', 'device_name', 'taken_at'].includes(column), `${name}.${column}`)
    }
  }
})

test('nothing is read of histories, environments, files or what people write', () => {
  const private_ =
    /\b(?:shell_history|process_envs|carves|curl|file|hash|yara|magic|recent_files|office_mru|cmdline)\b/i
  for (const platform of platforms) {
    for (const { table, sql } of inventoryQueries[platform].values()) assert.doesNotMatch(sql, private_, table.name)
  }
})

test('a table that reads of accounts or paths of people says so', () => {
  for (const { name, columns, aboutPeople } of inventoryTables) {
    const isPersonal = columns.some((column) => ['username', 'computer_name', 'host'].includes(column.name))
    if (isPersonal) assert.ok(aboutPeople, name)
  }
})
