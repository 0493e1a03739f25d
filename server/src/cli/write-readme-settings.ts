import { readFile, writeFile } from 'node:fs/promises'
import { withSettingsTable } from '../base/config/readme-settings.ts'

const readme = new URL('../../../README.md', import.meta.url)

const current = await readFile(readme, 'utf8')
const updated = withSettingsTable(current)
if (updated === undefined) {
  console.error('README.md has no <!-- settings:start --> … <!-- settings:end --> block')
  process.exitCode = 1
} else if (updated !== current) {
  await writeFile(readme, updated)
}
