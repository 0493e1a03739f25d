import { readFile, writeFile } from 'node:fs/promises'
import { withSettingsTable } from '../base/config/settings-block.ts'

// Brings the table of docs/configuration.md up to date.
const page = new URL('../../../docs/configuration.md', import.meta.url)

const current = await readFile(page, 'utf8')
const updated = withSettingsTable(current)
if (updated === undefined) {
  console.error('docs/configuration.md has no <!-- settings:start --> … <!-- settings:end --> block')
  process.exitCode = 1
} else if (updated !== current) {
  await writeFile(page, updated)
}
