import { writeFile } from 'node:fs/promises'
import { connectEmbedded } from '../base/db/connect.ts'
import { migrate } from '../base/db/migrate.ts'
import { dumpSchema } from './dump-schema.ts'

// Writes server/src/base/db/schema.sql from a database in memory, for review.
const connection = await connectEmbedded()
await migrate(connection)
await writeFile(new URL('../base/db/schema.sql', import.meta.url), await dumpSchema(connection.db))
await connection.close()
