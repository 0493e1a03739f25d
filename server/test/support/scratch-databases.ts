import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import pg from 'pg'

/** One connection to each engine at hand, without a schema: for tests of SQL that make temporary tables of their own. */
export function scratchDatabases<Tables>(): { engine: string; open: () => Promise<Kysely<Tables>> }[] {
  const url = process.env['MUSTER_TEST_DATABASE_URL']
  const embedded = {
    engine: 'PGlite',
    open: async () => {
      const pglite = await PGlite.create({ extensions: { pg_trgm } })
      return new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
    },
  }
  if (!url) return [embedded]
  const server = {
    engine: 'PostgreSQL',
    open: async () => {
      const pool = new pg.Pool({ connectionString: url, max: 1 })
      return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
    },
  }
  return [embedded, server]
}
