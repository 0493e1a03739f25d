import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldCase } from '../../../test/support/check-fixtures/field-case.ts'
import { anyPlatformFieldRows } from '../../../test/support/check-fixtures/field-rows-any-platform.ts'
import { linuxFieldRows } from '../../../test/support/check-fixtures/field-rows-linux.ts'
import { macosFieldRows } from '../../../test/support/check-fixtures/field-rows-macos.ts'
import { macosHiddenFieldRows } from '../../../test/support/check-fixtures/field-rows-macos-hidden.ts'
import { windowsFieldRows } from '../../../test/support/check-fixtures/field-rows-windows.ts'
import { answerQuery } from '../../../test/support/check-fixtures/osquery-database.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { catalogue } from './catalogue.ts'

const fields = [
  ...macosFieldRows,
  ...macosHiddenFieldRows,
  ...windowsFieldRows,
  ...linuxFieldRows,
  ...anyPlatformFieldRows,
]

const checkOf = ({ slug }: FieldCase) => catalogue.find((one) => one.slug === slug) ?? assert.fail(`no check ${slug}`)

function answers(field: FieldCase) {
  const check = checkOf(field)
  return answerQuery(renderSql(check.sql, check.options, {}), field.tables)
}

for (const field of fields) {
  test(`${field.slug} says ${[...new Set(field.says)].join(', ')} when ${field.when}`, () => {
    const rows = answers(field)
    assert.deepEqual(
      rows.map((row) => row['KOLIDE_CHECK_STATUS']),
      field.says,
      JSON.stringify(rows),
    )
    const needed = new Set(rows.flatMap((row) => row['needs_osquery'] ?? []))
    assert.deepEqual([...needed], field.needs === undefined ? [] : [field.needs])
    if (field.reason) for (const row of rows) assert.match(String(row['unknown_reason']), field.reason)
    else assert.ok(rows.every((row) => row['KOLIDE_CHECK_STATUS'] === 'UNKNOWN' || !row['unknown_reason']))
    const key = checkOf(field).primaryKeyColumn
    if (key !== null) assert.equal(new Set(rows.map((row) => row[key])).size, rows.length, 'one row for each key')
    assert.ok(field.source.length > 10, 'says where such rows were made public')
  })
}
