import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { auditActions } from '@muster/contract/audit-actions.ts'
import { withActions } from './describe-actions.ts'

test('the guide to the audit log lists every action', async () => {
  const page = await readFile(new URL('../../../../docs/audit-log.md', import.meta.url), 'utf8')
  assert.equal(withActions(page), page, 'npm run docs writes it')
  assert.equal(withActions('A page without the block'), undefined)
})

test('every action is recorded somewhere', async () => {
  const source = new URL('../../', import.meta.url)
  const unused = new Set(Object.keys(auditActions))
  for await (const path of glob('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] })) {
    const text = await readFile(new URL(path, source), 'utf8')
    for (const action of unused) if (text.includes(`'${action}'`)) unused.delete(action)
  }
  assert.deepEqual([...unused], [])
})
