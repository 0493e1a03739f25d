import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { apiVersions } from '@muster/contract/versions.ts'
import { buildApp } from '../app.ts'
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config/load-config.ts'
import { connectEmbedded } from '../db/connect.ts'
import { committedDocument } from '../http/openapi/openapi-json.ts'
import { createLogger } from '../logging.ts'
import { openSecrets } from '../secrets/secrets.ts'

// Writes contract/openapi/<version>.json from the routes of the real app, for review and for client generators.
const folder = new URL('../../../contract/openapi/', import.meta.url)
const connection = await connectEmbedded()
const app = buildApp({
  config: loadConfig({}),
  connection,
  secrets: openSecrets(randomBytes(32)),
  clock: systemClock,
  log: createLogger('silent'),
})
await app.ready()
await mkdir(folder, { recursive: true })
for (const version of apiVersions) {
  await writeFile(new URL(`${version}.json`, folder), committedDocument(app.kit.operations, version))
}
await app.close()
await connection.close()
