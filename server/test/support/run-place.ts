import { randomBytes } from 'node:crypto'
import { databaseForProcess } from './database.ts'
import { type Hooks, type MusterPlace, openPlace } from './muster-process.ts'

/** Processes of the muster program on the engine that the tests run on: a new database of the server, or the embedded one. */
export async function openRunPlace(hooks: Hooks, settings: Record<string, string> = {}): Promise<MusterPlace> {
  const database = await databaseForProcess()
  if (!database) return openPlace(hooks, settings)
  const masterKey = randomBytes(32).toString('base64')
  const place = openPlace(hooks, { DATABASE_URL: database.url, MUSTER_MASTER_KEY: masterKey, ...settings })
  hooks.after(database.drop)
  return place
}
