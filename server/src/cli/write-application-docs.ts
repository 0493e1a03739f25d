import { readFile, writeFile } from 'node:fs/promises'
import { withApplications } from './application-settings.ts'

// Brings the settings of applications in docs/sign-in/applications.md up to date.
const page = new URL('../../../docs/sign-in/applications.md', import.meta.url)

const current = await readFile(page, 'utf8')
const updated = withApplications(current)
if (updated === undefined) {
  console.error('docs/sign-in/applications.md has no <!-- applications:start --> … <!-- applications:end --> block')
  process.exitCode = 1
} else if (updated !== current) {
  await writeFile(page, updated)
}
