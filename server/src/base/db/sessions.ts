import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { refuseInsideTransaction } from './transact.ts'

export type Row = Record<string, unknown>
export type StatementResult = { command: string; rowCount: number | null; rows: Row[] }

/** `mayTakeLong`: its answer is waited for without a limit, and it has lifted `statement_timeout` itself. */
export type RunOptions = { mayTakeLong?: boolean }

/** What both engines offer: sessions that run one statement, or several without parameters, one result each. */
export type Session = {
  run(text: string, parameters: readonly unknown[], options?: RunOptions): Promise<StatementResult[]>
  release(destroy?: boolean): void
}
export type Sessions = {
  connect(): Promise<Session>
  end(): Promise<void>
}

/** The sessions as the pool that Kysely's PostgreSQL dialect asks for. */
export function kyselyPool(sessions: Sessions): PostgresPool {
  return {
    options: {},
    async connect() {
      const session = await sessions.connect()
      const query = async (text: string, parameters: readonly unknown[]) => (await session.run(text, parameters)).at(-1)
      const release = (destroy?: boolean) => session.release(destroy)
      // Kysely's type also describes cursors, which nobody here gives it.
      return { query, release } as unknown as PostgresPoolClient
    },
    end: () => sessions.end(),
  }
}

/** Runs a script and returns the rows of all its statements; a transaction it leaves open is rolled back. */
export async function executeScript(sessions: Sessions, sql: string, options: RunOptions = {}): Promise<Row[]> {
  refuseInsideTransaction()
  const session = await sessions.connect()
  try {
    return (await session.run(sql, [], options)).flatMap(({ rows }) => rows)
  } catch (error) {
    await session.run('rollback', []).catch(() => {})
    throw error
  } finally {
    session.release()
  }
}
