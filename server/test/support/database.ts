import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { databaseName } from '../../../scripts/test-run/process-use.ts'
import { sharedProcess } from '../../../scripts/test-run/shared-process.ts'
import { type Connection, connectEmbedded, connectPostgres, type Engine } from '../../src/base/db/connect.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import type { Db } from '../../src/base/db/transact.ts'
import { installJobs } from '../../src/base/jobs/start-jobs.ts'
import { preparedKey } from '../../src/prepared-folder.ts'

/** A server on which tests may create databases; absent, each file has an embedded engine in memory. */
const serverUrl = process.env['MUSTER_TEST_DATABASE_URL']

export const engine: Engine = serverUrl ? 'postgres' : 'pglite'

/** The run has both engines side by side, so what one of them cannot show is not left out by leaving it to the other. */
const hasBothEngines = process.env['MUSTER_TEST_BOTH_ENGINES'] !== undefined
const leaveToOther = (async () => {}) as unknown as typeof test
const elsewhere = hasBothEngines ? leaveToOther : test.skip

/** A `test` of what one session cannot show. On the embedded engine it is skipped. */
export const testOnPostgres = serverUrl ? test : elsewhere
/** A `test` of the embedded engine itself, or of the product on it. On PostgreSQL it is skipped. */
export const testOnEmbedded = serverUrl ? elsewhere : test

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
 * `connection` and `db` are there from the first test on. Files that share a process share one embedded engine, which
 * each finds as a new one would be.
 */
export function testDatabase(directory?: URL): TestDatabase {
  let opened: Opened | undefined
  const open = () => {
    if (serverUrl) return openOnServer(serverUrl, directory)
    return sharedProcess.isShared && directory === undefined ? takeShared() : openEmbedded(directory)
  }
  const opening = open().then((done) => {
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
    // The modules of a shared process stay, and would keep the engine.
    opened = undefined
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

/** An embedded engine that outlives a test file, and what its schema, roles and settings were when it was new. */
type Shared = { readonly opened: Opened; readonly state: string }
let idle: Shared | undefined

/** The engine that the file before has left, or a new one when there is none, or a file opens a second. */
async function takeShared(): Promise<Opened> {
  const taken = idle ?? (await openShared())
  idle = undefined
  return { connection: taken.opened.connection, drop: () => giveBack(taken) }
}

async function openShared(): Promise<Shared> {
  const opened = await openEmbedded(undefined)
  return { opened, state: await stateOf(opened.connection) }
}

/** An engine that a file closed, or whose schema it changed, is of no use to the next one. */
async function giveBack(shared: Shared): Promise<void> {
  const { opened, state } = shared
  const isAsNew = await makeAsNew(opened.connection).then(
    async () => (await stateOf(opened.connection)) === state,
    () => false,
  )
  if (!isAsNew || idle) return opened.drop()
  idle = shared
  if (sharedProcess.closeAtEnd.length === 0) sharedProcess.closeAtEnd.push(async () => idle?.opened.drop())
}

/** Truncating leaves nothing behind in tables and indexes, and no statistics; the checkpoint gives back the log. As a replica: see below. */
async function makeAsNew({ executeScript }: Connection): Promise<void> {
  const tables = (await findRelations(executeScript)).filter(({ is_sequence }) => !is_sequence)
  await executeScript('rollback; reset all; unlisten *; discard temp')
  const truncation = `truncate ${tables.map(({ name }) => name).join()} restart identity`
  await executeScript(`begin; set local session_replication_role = replica; ${truncation}; commit`)
  await executeScript('checkpoint')
}

/** What a test file may change besides rows: everything in the catalogs, and the queues of the job queue. */
async function stateOf({ executeScript }: Connection): Promise<string> {
  const catalogs = [
    `select concat(relnamespace::regnamespace, '.', relname, relkind, relnatts, relacl, reloptions, relrowsecurity)
      from pg_class where relnamespace::regnamespace::text !~ '^pg_'`,
    `select pg_get_functiondef(oid) from pg_proc where pronamespace::regnamespace::text in ('public', 'pgboss') and prokind = 'f'`,
    'select concat(conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint where conrelid <> 0',
    'select concat(tgrelid::regclass, tgname, tgenabled) from pg_trigger',
    'select rolname::text from pg_roles',
    'select concat(setdatabase, setrole, setconfig) from pg_db_role_setting',
    'select nspname::text from pg_namespace',
    'select name from pgboss.queue',
    "select concat(starelid, staattnum) from pg_statistic join pg_class on pg_class.oid = starelid where relnamespace::regnamespace::text !~ '^pg_'",
  ]
  const sums = catalogs.map(
    (rows, index) => `(select md5(string_agg(text, ',' order by text)) from (${rows}) r(text)) as s${index}`,
  )
  return JSON.stringify(await executeScript(`select ${sums.join()}`))
}

const deadlockDetected = '40P01'

/** Empties all tables. A request that a server takes up meanwhile may lock rows in another order: then all is tried again. */
async function emptyTables(connection: Connection): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await deleteRows(connection)
    } catch (error) {
      if (tries === 5 || (error as { code?: unknown }).code !== deadlockDetected) throw error
    }
  }
}

/**
 * Only what holds rows is emptied, and by deletion: truncating every table of the schema takes many times as long.
 * As a replica the session runs no triggers, so foreign keys need no order and guards against deletion do not bite.
 */
async function deleteRows({ executeScript }: Connection): Promise<void> {
  if (serverUrl) await untilNobodyWrites(executeScript)
  const relations = await findRelations(executeScript)
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

/** What a server still does for a request whose client has left would deadlock with the deletion. Goes on after ten seconds. */
async function untilNobodyWrites(executeScript: Connection['executeScript']): Promise<void> {
  const others = `select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and xact_start is not null`
  for (let tries = 0; tries < 1_000; tries += 1) {
    if ((await executeScript(others)).length === 0) return
    await pause(10)
  }
}

/** The tables and sequences of the product, and of the job queue those that hold jobs. */
const findRelations = (executeScript: Connection['executeScript']) =>
  executeScript(`
    select format('%I.%I', nspname, relname) as name, relkind = 'S' as is_sequence
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p', 'S') and not relispartition and (
      (nspname = 'public' and relname <> 'schema_migrations') or (nspname = 'pgboss' and relname in ('job', 'schedule')))`)

/** What a start of the server does to its database. */
async function prepare(connection: Connection, directory: URL | undefined): Promise<void> {
  await migrate(connection, directory)
  await installJobs(connection)
}

const cache = new URL('../../../.cache/', import.meta.url)

/** Migrating takes seconds, opening from a snapshot a fraction of one: so the migrated state is kept on disk. */
async function openEmbedded(directory: URL | undefined): Promise<Opened> {
  const file = fileURLToPath(new URL(`migrated-${await preparedKey(directory)}.tar`, cache))
  const kept = await readFile(file).catch(() => undefined)
  const snapshot = new Blob([kept ?? (await makeSnapshot(file, directory))])
  const connection = await connectEmbedded({ snapshot, isolatedSnapshot: snapshot })
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
    if (name.startsWith('migrated-') && age > 86_400_000) await rm(file, { recursive: true, force: true })
  }
}

const withDatabase = (url: string, database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href

async function onServer<Done>(url: string, work: (client: pg.Client) => Promise<Done>): Promise<Done> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
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

export type OwnDatabase = { readonly url: string; drop(): Promise<void> }

/** A database of its own for a process that a test starts, with what is in the one at `url`, which nobody uses meanwhile. */
export async function copyDatabase({ url }: OwnDatabase): Promise<OwnDatabase> {
  const server = serverUrl ?? url
  return onServer(server, (client) => createFrom(client, server, new URL(url).pathname.slice(1)))
}

async function makeDatabase(url: string, directory?: URL): Promise<OwnDatabase> {
  const template = `muster_template_${await preparedKey(directory)}`
  return onServer(url, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [template])
    await ensureTemplate(client, url, template, directory)
    return createFrom(client, url, template)
  })
}

async function createFrom(client: pg.Client, url: string, template: string): Promise<OwnDatabase> {
  const database = databaseName(process.pid, randomUUID().replaceAll('-', ''))
  // Copied as files, not through the log: half the time, and nothing is lost where nothing outlives a crash.
  await client.query(`create database ${database} template ${template} strategy file_copy`)
  const drop = async () => {
    await onServer(url, (other) => other.query(`drop database ${database} with (force)`))
  }
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
