import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { connectEmbedded } from '../../src/base/db/connect.ts'
import type { Row } from '../../src/base/db/sessions.ts'
import { embeddedFolder } from '../../src/open-deployment.ts'

export type Statement = { name: string; text: string }
export type QueryRows = (statement: Statement, values: readonly unknown[]) => Promise<readonly Row[]>

export type Rows = { query: QueryRows; close(): Promise<void> }

/** As many as the server's own pool. */
export const connections = 10

/** Only JSON is parsed: who makes a `Date` of each moment, to write it as text again, does more than is needed. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => (oid === jsonb ? JSON.parse : asText)) as typeof pg.types.getTypeParser,
}
const jsonb = 3802
const asText = (value: string): string => value

/**
 * Named statements on a plain `pg` pool with values as they come; on the embedded engine, which has no such
 * thing, statements given to it directly.
 */
export async function openRows(env: NodeJS.ProcessEnv): Promise<Rows> {
  const url = env['DATABASE_URL']
  if (url !== undefined) {
    const pool = new pg.Pool({ types, connectionString: url, max: connections, options: '-c TimeZone=UTC -c jit=off' })
    return {
      query: async ({ name, text }, values) => (await pool.query({ name, text, values: [...values] })).rows,
      close: () => pool.end(),
    }
  }
  const { db, close } = await connectEmbedded({ dataDir: embeddedFolder(env['MUSTER_DATA_DIR'] ?? '') })
  return {
    query: async ({ text }, values) => (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows,
    close,
  }
}
