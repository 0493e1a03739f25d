import { sql } from 'kysely'
import type { Db } from './transact.ts'

const insufficientPrivilege = '42501'

/** The error with what to grant, where the user may not create what Muster needs in the database; else as it is. */
export async function explainMissingRight(db: Db, error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !isDenied(error)) return error
  const { rows } = await sql<{ mayCreate: boolean; database: string; user: string }>`
    select has_database_privilege(current_database(), 'create') and has_schema_privilege('public', 'create') as "mayCreate",
      quote_ident(current_database()) as database, quote_ident(current_user) as user`.execute(db)
  const [row] = rows
  if (!row || row.mayCreate) return error
  const { database, user } = row
  return new Error(
    `${error.message}: make the user the owner of the database (alter database ${database} owner to ${user}), or let it create there (grant create on database ${database} to ${user}; grant create on schema public to ${user}). See "Connect to PostgreSQL" in docs/operating.md.`,
    { cause: error },
  )
}

/** That of a migration is the cause of what says which one failed. */
const isDenied = (error: Error): boolean =>
  [error, error.cause].some((one) => one instanceof Error && 'code' in one && one.code === insufficientPrivilege)
