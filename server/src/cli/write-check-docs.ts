import { readFile, writeFile } from 'node:fs/promises'
import { catalogue } from '../checks/catalogue/catalogue.ts'
import { withCatalogue } from '../checks/catalogue/describe-catalogue.ts'

// Brings what each check reads in docs/checks.md up to date.
const page = new URL('../../../docs/checks.md', import.meta.url)

const current = await readFile(page, 'utf8')
const updated = withCatalogue(current, catalogue)
if (updated === undefined) {
  console.error('docs/checks.md has no <!-- checks:start --> … <!-- checks:end --> block')
  process.exitCode = 1
} else if (updated !== current) {
  await writeFile(page, updated)
}
