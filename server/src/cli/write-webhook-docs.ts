import { readFile, writeFile } from 'node:fs/promises'
import { asyncApiText } from '../signals/webhooks/describe/async-api.ts'
import { withEvents } from '../signals/webhooks/describe/events-markdown.ts'

// Brings the events in docs/webhooks.md and docs/webhooks-asyncapi.json up to date.
const folder = new URL('../../../docs/', import.meta.url)
const page = new URL('webhooks.md', folder)

const current = await readFile(page, 'utf8')
const updated = withEvents(current)
if (updated === undefined) {
  console.error('docs/webhooks.md has no <!-- events:start --> … <!-- events:end --> block')
  process.exitCode = 1
} else if (updated !== current) {
  await writeFile(page, updated)
}
await writeFile(new URL('webhooks-asyncapi.json', folder), asyncApiText())
