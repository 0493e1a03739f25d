import { readFile, writeFile } from 'node:fs/promises'
import { withEvents } from '../signals/webhooks/describe/events-markdown.ts'

// Brings the events in docs/webhooks.md up to date.
const page = new URL('../../../docs/webhooks.md', import.meta.url)

const current = await readFile(page, 'utf8')
const updated = withEvents(current)
if (updated === undefined) {
  console.error('docs/webhooks.md has no <!-- events:start --> … <!-- events:end --> block')
  process.exitCode = 1
} else if (updated !== current) {
  await writeFile(page, updated)
}
