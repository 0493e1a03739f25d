import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Connection } from '../../src/base/db/connect.ts'
import type { Database } from '../../src/base/db/schema.ts'

/**
 * The same database with every statement's text rewritten on its way there, in transactions too: for tests that take
 * a safeguard out of the SQL and expect other tests to notice.
 */
export function rewrittenConnection(connection: Connection, rewrite: (text: string) => string): Connection {
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => rewritingDriver(connection, rewrite),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  return { ...connection, db: new Kysely<Database>({ dialect }) }
}

type Borrowed = DatabaseConnection & { giveBack: () => void }

function rewritingDriver({ db }: Connection, rewrite: (text: string) => string): Driver {
  const executor = db.withoutPlugins().getExecutor()
  const acquire = () =>
    new Promise<Borrowed>((resolve, reject) => {
      const lent = executor.provideConnection(
        (inner) =>
          new Promise<void>((giveBack) => {
            resolve({
              executeQuery: (query) => inner.executeQuery({ ...query, sql: rewrite(query.sql) }),
              streamQuery: () => {
                throw new Error('Streams are not rewritten')
              },
              giveBack,
            })
          }),
      )
      lent.catch(reject)
    })
  const run = async (connection: DatabaseConnection, text: string) => {
    await connection.executeQuery(CompiledQuery.raw(text))
  }
  return {
    init: async () => {},
    destroy: async () => {},
    acquireConnection: acquire,
    releaseConnection: async (connection) => (connection as Borrowed).giveBack(),
    beginTransaction: (connection) => run(connection, 'begin'),
    commitTransaction: (connection) => run(connection, 'commit'),
    rollbackTransaction: (connection) => run(connection, 'rollback'),
  }
}
