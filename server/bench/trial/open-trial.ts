import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { systemChange } from '../../src/base/change-context.ts'
import { systemClock } from '../../src/base/clock.ts'
import { loadConfig } from '../../src/base/config/load-config.ts'
import type { Row } from '../../src/base/db/sessions.ts'
import { type Db, transact } from '../../src/base/db/transact.ts'
import type { Secrets } from '../../src/base/secrets/secrets.ts'
import { generateKey } from '../../src/base/secrets/token-format.ts'
import { catalogue } from '../../src/checks/catalogue/catalogue.ts'
import { addCheck, fromCatalogue } from '../../src/checks/definitions/add-check.ts'
import { firstStart } from '../../src/first-start.ts'
import { embeddedFolder, openDeployment } from '../../src/open-deployment.ts'

/** A fresh deployment with one organization, on a database of its own. */
export type Trial = {
  organizationId: string
  apiKey: string
  enrollSecret: string
  secrets: Secrets
  /** A folder that goes with the trial. */
  folder: string
  /** The environment of the server under test. */
  env: Readonly<Record<string, string>>
  /** Undefined on the embedded engine. */
  databaseUrl: string | undefined
  /** Runs SQL text, any number of statements. Only before `ready` on the embedded engine, which admits one process. */
  load(sql: string): Promise<Row[]>
  /** Tells the planner what was loaded, as autovacuum does. Tables without rows stay unknown to it, as new ones are. */
  analyze(): Promise<void>
  /** Closes this process's hold on the database, so that the server under test can have it. */
  ready(): Promise<void>
  /** The environment of a process that reads the same data: on the embedded engine, a copy of it. */
  twinEnv(name?: string): Promise<Record<string, string>>
  remove(): Promise<void>
}

export type Engine = { kind: 'postgres'; url: string } | { kind: 'embedded' }

/** With the checks of a new organization, or with every one that the catalogue has. */
export async function openTrial(engine: Engine, name: string, checks: 'usual' | 'all' = 'usual'): Promise<Trial> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'muster-bench-'))
  const database = `bench_${name}_${process.pid}`
  if (engine.kind === 'postgres') await onServer(engine.url, `create database ${database}`)
  const databaseUrl = engine.kind === 'postgres' ? withDatabase(engine.url, database) : undefined
  const apiKey = generateKey()
  const enrollSecret = randomBytes(24).toString('base64url')
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    MUSTER_DATA_DIR: folder,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    // The counting stays; only the refusal is out of reach.
    MUSTER_RATE_LIMIT_PER_MINUTE: '1000000',
    MUSTER_BOOTSTRAP_ORGANIZATION: 'Bench',
    MUSTER_BOOTSTRAP_API_KEY: apiKey,
    MUSTER_BOOTSTRAP_ENROLL_SECRET: enrollSecret,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
  const config = loadConfig(env)
  const { connection, secrets } = await openDeployment(config, systemClock, { api: true, worker: false })
  const first = await firstStart(connection.db, secrets, config.bootstrap, { isTrial: false, now: systemClock() })
  if (!first) throw new Error('The database of a trial is not fresh')
  if (checks === 'all') await enableRest(connection.db, first.organizationId)
  // Bench data says itself which results there are; targeting the whole fleet again would run beside the measurement.
  await connection.executeScript('update check_recomputations set finished_at = now()')

  const run = async (sql: string) =>
    databaseUrl === undefined ? connection.executeScript(sql) : onServer(databaseUrl, sql)

  return {
    organizationId: first.organizationId,
    apiKey,
    enrollSecret,
    secrets,
    folder,
    env,
    databaseUrl,
    load: run,
    async analyze() {
      const tables = await run(`select quote_ident(relname) as name from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`)
      await run(`vacuum analyze ${tables.map(({ name }) => name).join(', ')}`)
      // What was loaded goes to the disk now, not while something is measured.
      await run('checkpoint')
    },
    ready: () => connection.close(),
    async twinEnv(name = 'twin') {
      if (databaseUrl !== undefined) return env
      const twin = path.join(folder, name)
      await cp(embeddedFolder(folder), embeddedFolder(twin), { recursive: true })
      return { ...env, MUSTER_DATA_DIR: twin }
    },
    async remove() {
      await connection.close()
      if (engine.kind === 'postgres') await onServer(engine.url, `drop database ${database} with (force)`)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** As a database is after `pg_restore`, and for as long as no autovacuum has come by. The embedded engine looks after itself. */
export const neverAnalyzedSql = `
  do $$ declare name text; begin
    for name in select oid::regclass from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = false)', name);
    end loop;
  end $$`

async function enableRest(db: Db, organizationId: string): Promise<void> {
  const rest = catalogue.filter((check) => !check.enabledByDefault).map(fromCatalogue)
  await transact(db, async (tx) => {
    for (const check of rest) await addCheck(tx, check, systemChange(organizationId, systemClock()))
  })
}

/** Rows of all the statements of a text, without a time limit. */
export async function onServer(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const answer: pg.QueryResult | pg.QueryResult[] = await client.query(sql)
    return (Array.isArray(answer) ? answer : [answer]).flatMap(({ rows }) => rows)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
