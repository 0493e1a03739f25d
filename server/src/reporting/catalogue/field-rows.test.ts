import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { OsqueryPlatform } from '@muster/contract/osquery-schema.ts'
import type { InventoryCase } from '../../../test/support/check-fixtures/inventory-case.ts'
import { linuxInventoryRows } from '../../../test/support/check-fixtures/inventory-rows-linux.ts'
import { macosInventoryRows } from '../../../test/support/check-fixtures/inventory-rows-macos.ts'
import { windowsInventoryRows } from '../../../test/support/check-fixtures/inventory-rows-windows.ts'
import { answerQuery, type MissingText } from '../../../test/support/check-fixtures/osquery-database.ts'
import { valueText } from '../../base/value-text.ts'
import { inventoryQueries } from './catalogue.ts'

function sqlOf(platform: OsqueryPlatform, table: string): string {
  return inventoryQueries[platform].get(table)?.sql ?? assert.fail(`no query for ${table}`)
}

function saidOf({ platform, table, tables, says }: InventoryCase, missingText: MissingText) {
  return answerQuery(sqlOf(platform, table), tables, missingText).map((row, index) =>
    Object.fromEntries(Object.keys(says[index] ?? row).map((column) => [column, valueText(row[column])])),
  )
}

for (const field of [...macosInventoryRows, ...windowsInventoryRows, ...linuxInventoryRows]) {
  test(`${field.table} of ${field.of}`, () => {
    for (const missingText of ['', null] as const) assert.deepEqual(saidOf(field, missingText), field.says)
    assert.ok(field.source.length > 10, 'says where such rows were made public')
  })
}

test('of a session over IPv6 no byte is kept, whatever text they would make', () => {
  const bytes = { inUnits: new Uint8Array(30), inRow: new Uint8Array(30) }
  const address = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x41, 0x42, 0x43]
  bytes.inRow.set(address)
  bytes.inUnits.set(address.slice(0, 15).flatMap((byte) => [byte, 0]))
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE logged_in_users (type TEXT, user TEXT, host TEXT)')
  const insert = database.prepare("INSERT INTO logged_in_users VALUES ('active', ?, CAST(? AS TEXT))")
  for (const [name, value] of Object.entries(bytes)) insert.run(name, value)
  const kept = database.prepare('SELECT length(CAST(host AS BLOB)) AS bytes FROM logged_in_users').all()
  assert.deepEqual(
    kept.map((row) => row['bytes']),
    [30, 30],
  )
  const rows = database.prepare(sqlOf('windows', 'device_logged_in_users')).all()
  assert.deepEqual(
    rows.map((row) => [row['username'], row['host']]),
    [
      ['inUnits', ''],
      ['inRow', ''],
    ],
  )
  database.close()
})
