import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { buildApp } from '../app.ts'
import { systemClock } from '../base/clock.ts'
import { loadConfig } from '../base/config/load-config.ts'
import { connectEmbedded } from '../base/db/connect.ts'
import { migrate } from '../base/db/migrate.ts'
import { createLogger } from '../base/logging.ts'
import { openSecrets } from '../base/secrets/secrets.ts'
import { committedDocuments } from '../http/openapi/committed-documents.ts'
import { startStreams } from '../signals/streams/start-streams.ts'

// Writes contract/openapi from the routes of the real app, for review and for client generators.
const folder = new URL('../../../contract/openapi/', import.meta.url)
const connection = await connectEmbedded()
await migrate(connection)
const config = loadConfig({})
const common = { connection, secrets: openSecrets(randomBytes(32)), clock: systemClock, log: createLogger('silent') }
const streams = await startStreams({ ...common, ...config })
const app = buildApp({ ...common, config, streams: streams.parts })
await app.ready()
await mkdir(folder, { recursive: true })
for (const [name, text] of committedDocuments(app.kit.operations)) await writeFile(new URL(name, folder), text)
await app.close()
await streams.stop()
await connection.close()
