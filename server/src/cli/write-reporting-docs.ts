import { readFile, writeFile } from 'node:fs/promises'
import { reportingTables } from '../reporting/catalogue/catalogue.ts'
import { withTables } from '../reporting/documentation-markdown.ts'

const page = new URL('../../../docs/reporting.md', import.meta.url)

const current = await readFile(page, 'utf8')
const updated = withTables(current, reportingTables)
if (updated === undefined) {
  console.error('docs/reporting.md has no <!-- tables:start --> … <!-- tables:end --> block')
  process.exitCode = 1
} else if (updated !== current) {
  await writeFile(page, updated)
}
