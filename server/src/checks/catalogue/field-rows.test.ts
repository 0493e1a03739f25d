import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldCase } from '../../../test/support/check-fixtures/field-case.ts'
import { linuxFieldRows } from '../../../test/support/check-fixtures/field-rows-linux.ts'
import { macosFieldRows } from '../../../test/support/check-fixtures/field-rows-macos.ts'
import { windowsFieldRows } from '../../../test/support/check-fixtures/field-rows-windows.ts'
import { answerQuery } from '../../../test/support/check-fixtures/osquery-database.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { catalogue } from './catalogue.ts'

function answers({ slug, tables }: FieldCase) {
  const check = catalogue.find((one) => one.slug === slug) ?? assert.fail(`no check ${slug}`)
  return answerQuery(renderSql(check.sql, check.options, {}), tables)
}

for (const field of [...macosFieldRows, ...windowsFieldRows, ...linuxFieldRows]) {
  test(`${field.slug} says ${[...new Set(field.says)].join(', ')} when ${field.when}`, () => {
    const rows = answers(field)
    assert.deepEqual(
      rows.map((row) => row['KOLIDE_CHECK_STATUS']),
      field.says,
      JSON.stringify(rows),
    )
    const needed = new Set(rows.flatMap((row) => row['needs_osquery'] ?? []))
    assert.deepEqual([...needed], field.needs === undefined ? [] : [field.needs])
    assert.ok(field.source.length > 10, 'says where such rows were made public')
  })
}
