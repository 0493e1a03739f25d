import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { reportingTables } from './catalogue/catalogue.ts'
import { withTables } from './documentation-markdown.ts'

test('the page about reporting tables describes the tables that there are', async () => {
  const page = await readFile(new URL('../../../docs/reporting.md', import.meta.url), 'utf8')
  assert.equal(page, withTables(page, reportingTables), 'run: npm run docs')
})

test('a page that is out of date is brought up to date, and one without markers is refused', () => {
  const page = 'Before.\n<!-- tables:start -->\nold\n<!-- tables:end -->\nAfter.\n'
  const updated = withTables(page, reportingTables) ?? assert.fail()
  assert.notEqual(updated, page)
  assert.equal(withTables(updated, reportingTables), updated)
  assert.match(updated, /^Before\.\n<!-- tables:start -->\n\n### Accounts\n\n#### device_logged_in_users\n/)
  assert.match(updated, /<!-- tables:end -->\nAfter\.\n$/)
  assert.equal(withTables('Before.', reportingTables), undefined)
})
