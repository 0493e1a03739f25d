import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { apiVersions } from '@muster/contract/versions.ts'
import { buildApp } from '../app.ts'
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config/load-config.ts'
import { connectEmbedded } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { committedDocument } from '../http/openapi/openapi-json.ts'
import { createLogger } from '../logging.ts'
import { openSecrets } from '../secrets/secrets.ts'
import { startStreams } from '../streams/start-streams.ts'

// Writes contract/openapi/<version>.json from the routes of the real app, for review and for client generators.
const folder = new URL('../../../contract/openapi/', import.meta.url)
const connection = await connectEmbedded()
await migrate(connection)
const config = loadConfig({})
const common = { connection, secrets: openSecrets(randomBytes(32)), clock: systemClock, log: createLogger('silent') }
const streams = await startStreams({ ...common, ...config })
const app = buildApp({ ...common, config, streams: streams.parts })
await app.ready()
await mkdir(folder, { recursive: true })
for (const version of apiVersions) {
  await writeFile(new URL(`${version}.json`, folder), committedDocument(app.kit.operations, version))
}
await app.close()
await streams.stop()
await connection.close()
