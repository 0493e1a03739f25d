import { readFile, writeFile } from 'node:fs/promises'
import { withActions } from '../signals/audit/describe-actions.ts'

// Brings the actions in docs/audit-log.md up to date.
const page = new URL('../../../docs/audit-log.md', import.meta.url)

const current = await readFile(page, 'utf8')
const updated = withActions(current)
if (updated === undefined) {
  console.error('docs/audit-log.md has no <!-- actions:start --> … <!-- actions:end --> block')
  process.exitCode = 1
} else if (updated !== current) {
  await writeFile(page, updated)
}
