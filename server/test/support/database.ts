import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Connection, connectEmbedded, connectPostgres, type Engine } from '../../src/db/connect.ts'
import { migrate, migrationsHash } from '../../src/db/migrate.ts'
import type { Db } from '../../src/db/transact.ts'
import { installJobs } from '../../src/jobs/start-jobs.ts'

/** A server on which tests may create databases; absent, each file has an embedded engine in memory. */
const serverUrl = process.env['MUSTER_TEST_DATABASE_URL']

export const engine: Engine = serverUrl ? 'postgres' : 'pglite'

/** For what one session cannot show: `test('…', { skip: postgresOnly }, …)`. */
export const postgresOnly = serverUrl ? false : 'needs PostgreSQL: run npm run test:postgres'
export const embeddedOnly = serverUrl ? 'about the embedded engine' : false

export type TestDatabase = {
  /** For other `before` hooks, which the runner starts without waiting for this one; tests need not await it. */
  readonly ready: Promise<void>
  readonly connection: Connection
  readonly db: Db
  /** On PostgreSQL, to open further connections to the same database. */
  readonly url: string | undefined
  /** Empties every table but schema_migrations, the job queue included, and restarts their identities. */
  reset(): Promise<void>
}

type Opened = { connection: Connection; url?: string; drop(): Promise<void> }

/**
 * A migrated database for one test file, opened before its tests and gone after them. Call it at the top level;
 * `connection` and `db` are there from the first test on.
 */
export function testDatabase(directory?: URL): TestDatabase {
  let opened: Opened | undefined
  const opening = (serverUrl ? openOnServer(serverUrl, directory) : openEmbedded(directory)).then((done) => {
    opened = done
  })
  const current = (): Opened => {
    if (!opened) throw new Error('The test database is not open yet: await its `ready` first')
    return opened
  }
  before(() => opening)
  after(async () => {
    await opening.catch(() => {})
    await opened?.drop()
  })
  return {
    ready: opening,
    get connection() {
      return current().connection
    },
    get db() {
      return current().connection.db
    },
    get url() {
      return current().url
    },
    reset: () => emptyTables(current().connection),
  }
}

/**
 * Only what holds rows is emptied, and by deletion: truncating every table of the schema takes many times as long.
 * As a replica the session runs no triggers, so foreign keys need no order and guards against deletion do not bite.
 */
async function emptyTables({ executeScript }: Connection): Promise<void> {
  const relations = await executeScript(`
    select format('%I.%I', nspname, relname) as name, relkind = 'S' as is_sequence
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p', 'S') and not relispartition and (
      (nspname = 'public' and relname <> 'schema_migrations') or (nspname = 'pgboss' and relname in ('job', 'schedule')))`)
  const probes = relations.map(({ name, is_sequence }, index) =>
    is_sequence ? `(select is_called from ${name}) as r${index}` : `exists (select from ${name}) as r${index}`,
  )
  const [used = {}] = await executeScript(`select ${probes.join()}`)
  const commands = relations
    .filter((_, index) => used[`r${index}`])
    .map(({ name, is_sequence }) => (is_sequence ? `select setval('${name}', 1, false);` : `delete from ${name};`))
  if (commands.length === 0) return
  await executeScript(`begin; set local session_replication_role = replica; ${commands.join(' ')} commit`)
}

/** What a start of the server does to its database. */
async function prepare(connection: Connection, directory: URL | undefined): Promise<void> {
  await migrate(connection, directory)
  await installJobs(connection)
}

const cache = new URL('../../../.cache/', import.meta.url)

/** Of all that makes the prepared state: the migrations, and the exact versions of the engine and the job queue. */
async function stateKey(directory: URL | undefined): Promise<string> {
  const versions = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return createHash('sha256')
    .update(versions + (await migrationsHash(directory)))
    .digest('hex')
    .slice(0, 16)
}

/** Migrating takes seconds, opening from a snapshot a fraction of one: so the migrated state is kept on disk. */
async function openEmbedded(directory: URL | undefined): Promise<Opened> {
  const file = fileURLToPath(new URL(`migrated-${await stateKey(directory)}.tar`, cache))
  const kept = await readFile(file).catch(() => undefined)
  const connection = await connectEmbedded({ snapshot: kept ?? (await makeSnapshot(file, directory)) })
  return { connection, drop: () => connection.close() }
}

/** Renamed into place: test processes start together, and each sees a whole file or none. */
async function makeSnapshot(file: string, directory: URL | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const connection = await connectEmbedded()
  try {
    await prepare(connection, directory)
    const snapshot = await connection.snapshot()
    await mkdir(cache, { recursive: true })
    const draft = `${file}.${randomUUID()}`
    await writeFile(draft, snapshot)
    await rename(draft, file)
    await removeOldSnapshots()
    return snapshot
  } finally {
    await connection.close()
  }
}

/** Every change of a migration leaves one behind. */
async function removeOldSnapshots(): Promise<void> {
  for (const name of await readdir(cache)) {
    const file = new URL(name, cache)
    const age = Date.now() - (await stat(file).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs
    if (name.startsWith('migrated-') && age > 86_400_000) await rm(file, { force: true })
  }
}

const withDatabase = (url: string, database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

async function openOnServer(url: string, directory: URL | undefined): Promise<Opened> {
  const { url: own, drop } = await makeDatabase(url, directory)
  const connection = await connectPostgres({ url: own, maxConnections: 10 })
  return { connection, url: own, drop: () => connection.close().then(drop) }
}

/** A migrated database of its own for a process that a test starts; undefined where tests run on the embedded engine. */
export const databaseForProcess = async () => (serverUrl ? makeDatabase(serverUrl) : undefined)

async function makeDatabase(url: string, directory?: URL): Promise<{ url: string; drop(): Promise<void> }> {
  const template = `muster_template_${await stateKey(directory)}`
  const database = `muster_test_${randomUUID().replaceAll('-', '')}`
  await onServer(url, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [template])
    await ensureTemplate(client, url, template, directory)
    await client.query(`create database ${database} template ${template}`)
  })
  const drop = () => onServer(url, (client) => client.query(`drop database ${database} with (force)`))
  return { url: withDatabase(url, database), drop }
}

/** A template counts once it is marked as one, so a run that died while migrating leaves nothing to trust. */
async function ensureTemplate(client: pg.Client, url: string, template: string, directory?: URL): Promise<void> {
  const { rows } = await client.query('select datistemplate from pg_database where datname = $1', [template])
  if (rows[0]?.datistemplate) return
  await client.query(`drop database if exists ${template}`)
  await client.query(`create database ${template}`)
  const connection = await connectPostgres({ url: withDatabase(url, template), maxConnections: 2 })
  try {
    await prepare(connection, directory)
  } finally {
    await connection.close()
  }
  await client.query(`alter database ${template} is_template true`)
}
