import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Connection } from './connect.ts'

type Migration = { version: number; name: string; checksum: string; script: string }
type Applied = { version: number; name: string; checksum: string }

const productMigrations = new URL('./migrations/', import.meta.url)
const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/
/** Any constant will do, as long as every starter takes the same one. */
const advisoryLock = 5_146_738

/**
 * Brings the database up to the code: each `NNNN_what.sql` in one transaction, in order, under an advisory lock so
 * that concurrent starters wait. Refuses an applied file that has changed and a database newer than the code.
 */
export async function migrate(connection: Connection, directory = productMigrations): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(directory)
  if (!(await hasTable(connection))) await createTable(connection)
  const applied: string[] = []
  for (;;) {
    const next = remaining(migrations, await readApplied(connection))[0]
    if (!next) return { applied }
    if (await apply(connection, next)) applied.push(next.name)
  }
}

/** The names of the files still to be applied; for diagnosis, so it changes nothing. Refuses as `migrate` does. */
export async function pendingMigrations(connection: Connection, directory = productMigrations): Promise<string[]> {
  const migrations = await readMigrations(directory)
  return remaining(migrations, await readApplied(connection)).map(({ name }) => name)
}

/** The name of the newest that was applied. */
export async function readLastMigration(connection: Connection): Promise<string> {
  return (await readApplied(connection)).at(-1)?.name ?? 'none'
}

/** The identity of a folder of migrations: changes when any file does. */
export async function migrationsHash(directory = productMigrations): Promise<string> {
  const migrations = await readMigrations(directory)
  return sha256(migrations.map(({ name, checksum }) => `${name} ${checksum}\n`).join(''))
}

const locked = `begin; select pg_advisory_xact_lock(${advisoryLock}); set local statement_timeout = 0;`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function readMigrations(directory: URL): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).toSorted()
  const migrations = await Promise.all(files.map((file) => readMigration(directory, file)))
  for (const [index, { version, name }] of migrations.entries()) {
    if (version !== index + 1) throw new Error(`Migrations must be numbered without gaps or repeats: see ${name}`)
  }
  return migrations
}

async function readMigration(directory: URL, file: string): Promise<Migration> {
  const version = Number(fileName.exec(file)?.[1])
  if (Number.isNaN(version)) throw new Error(`A migration's name has the form 0001_what_it_does.sql: ${file}`)
  const script = await readFile(new URL(file, directory), 'utf8')
  return { version, name: file, checksum: sha256(script), script }
}

async function hasTable(connection: Connection): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('schema_migrations') is not null as found`.execute(connection.db)
  return rows[0]?.found === true
}

const createTable = (connection: Connection) =>
  connection.executeScript(
    `${locked}
    create table if not exists schema_migrations (
      version integer constraint schema_migrations_pkey primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    );
    commit`,
    { mayTakeLong: true },
  )

async function readApplied(connection: Connection): Promise<Applied[]> {
  if (!(await hasTable(connection))) return []
  const { rows } = await sql<Applied>`
    select version, name, checksum from schema_migrations order by version`.execute(connection.db)
  return rows
}

function remaining(migrations: Migration[], applied: Applied[]): Migration[] {
  for (const { version, name, checksum } of applied) {
    const known = migrations[version - 1]
    if (!known) {
      throw new Error(
        `The database is newer than this version of Muster: it has ${name}. Install a version that has it`,
      )
    }
    if (known.checksum !== checksum || known.name !== name) {
      throw new Error(`The migration ${known.name} has changed since it was applied (as ${name}): restore the file`)
    }
  }
  return migrations.filter(({ version }) => !applied.some((row) => row.version === version))
}

/**
 * One script, so that the embedded engine's time limit for transactions cannot cut a long migration short. Returns
 * false when another starter applied it while this one waited for the lock.
 */
async function apply(connection: Connection, { version, name, checksum, script }: Migration): Promise<boolean> {
  try {
    await connection.executeScript(
      `${locked}
      insert into schema_migrations (version, name, checksum) values (${version}, '${name}', '${checksum}');
      ${script}\n;
      commit`,
      { mayTakeLong: true },
    )
    return true
  } catch (error) {
    if (isAppliedMeanwhile(error)) return false
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

function isAppliedMeanwhile(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'schema_migrations_pkey'
}
