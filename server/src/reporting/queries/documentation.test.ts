import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { runInSandbox } from '../sandbox/run-in-sandbox.ts'
import { tableNames } from './table-names.ts'

const database = testDatabase()

test('the queries of the documentation run', async () => {
  const { id: organizationId } = await makeIn(database).organization()
  const pages = ['reporting-queries.md', 'reporting.md'].map(
    (page) => new URL(`../../../../docs/${page}`, import.meta.url),
  )
  const text = (await Promise.all(pages.map((page) => readFile(page, 'utf8')))).join('\n')
  const commands = [...text.matchAll(/reports create '[^']+' "([^"]+)"/g)].map(([, sql = '']) => sql)
  const blocks = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, block = '']) => block)
  const statements = blocks.flatMap((block) => block.split(';')).filter((part) => /^select/im.test(part.trim()))
  const queries = [...commands, ...statements]
  assert.equal(queries.length, 5)
  for (const sql of queries) {
    const report = await runInSandbox(database.connection, { organizationId, sql, tables: tableNames })
    assert.deepEqual(report, { columns: [], rows: [], isTruncated: false }, sql)
  }
})
