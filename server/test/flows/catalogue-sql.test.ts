import assert from 'node:assert/strict'
import { test } from 'node:test'
import { osquerySchema } from '@muster/contract/osquery-schema.ts'
import { inspectOsquerySql } from '../../src/base/osquery-sql/inspect-osquery-sql.ts'
import { catalogue } from '../../src/checks/catalogue/catalogue.ts'
import { renderSql } from '../../src/compliance/templates/render-sql.ts'

for (const check of catalogue) {
  test(`the SQL of ${check.slug} is understood, reads osquery tables and answers a status`, () => {
    const inspected = inspectOsquerySql(renderSql(check.sql, check.options, {}))
    assert.ok(inspected.kind === 'query', JSON.stringify(inspected))
    assert.deepEqual(
      inspected.tables.filter((table) => !(table in osquerySchema.tables)),
      [],
    )
    assert.ok(inspected.tables.length > 0)
    assert.ok(inspected.columns?.includes('KOLIDE_CHECK_STATUS'), JSON.stringify(inspected))
  })
}
