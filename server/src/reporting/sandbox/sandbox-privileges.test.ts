import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { loadConfig } from '../../base/config/load-config.ts'
import { type Connection, connectPostgres } from '../../base/db/connect.ts'
import { migrate } from '../../base/db/migrate.ts'
import { installJobs } from '../../base/jobs/start-jobs.ts'
import { createReportRoleIn } from '../../cli/program/create-report-role.ts'
import { tableNames } from '../queries/table-names.ts'
import { runInSandbox } from './run-in-sandbox.ts'
import { readSandboxPrivileges } from './sandbox-privileges.ts'

const database = testDatabase()

test('the migrations make the role, and it may read the reporting tables and nothing else', async () => {
  assert.equal((await readSandboxPrivileges(database.db)).hasReportRole, true)
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'v', 'm', 'p', 'f', 'S') and nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
      and has_schema_privilege('muster_reports', nspname, 'usage')
      and has_table_privilege('muster_reports', pg_class.oid, 'select') order by 1`.execute(database.db)
  assert.deepEqual(
    rows.map(({ name }) => name),
    [...tableNames].map((name) => `reporting.${name}`).toSorted(),
  )
})

test('a role of the name that could read our tables counts as none', async () => {
  await sql`grant select on organizations to muster_reports`.execute(database.db)
  try {
    assert.equal((await readSandboxPrivileges(database.db)).hasReportRole, false)
  } finally {
    await sql`revoke select on organizations from muster_reports`.execute(database.db)
  }
})

const named = (url: string, parts: Partial<URL>): string => Object.assign(new URL(url), parts).href

/** A database of a user who may make no roles and is a member of none. */
async function openForPlainUser(t: TestContext) {
  const name = `muster_plain_${randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  await admin.query(`create role ${name} login password '${name}'`)
  await admin.query(`create database ${name} owner ${name}`)
  const url = named(database.url ?? '', { username: name, password: name, pathname: `/${name}` })
  const connection = await connectPostgres({ url, maxConnections: 1 })
  t.after(async () => {
    await connection.close()
    await admin.query(`drop database ${name} with (force)`)
    await admin.query(`revoke muster_reports from ${name}`)
    await admin.query(`drop role ${name}`)
    await admin.end()
  })
  const asAdmin = async (text: string) => {
    const client = new pg.Client({ connectionString: named(database.url ?? '', { pathname: `/${name}` }) })
    await client.connect()
    await client.query(text.replaceAll('USER', name))
    await client.end()
  }
  const adminUrl = named(database.url ?? '', { pathname: `/${name}` })
  return {
    connection,
    asAdmin,
    adminUrl,
    env: { DATABASE_URL: url, MUSTER_MASTER_KEY: randomBytes(32).toString('base64') },
  }
}

/** What the database grants, without what follows from its version. */
async function rightsOf({ db }: Connection) {
  const { hasReportRole, maySetTempFileLimit } = await readSandboxPrivileges(db)
  return { hasReportRole, maySetTempFileLimit }
}

testOnPostgres('without the role no query runs, until an administrator makes it by one command', async (t) => {
  const { connection, asAdmin, env, adminUrl } = await openForPlainUser(t)
  await migrate(connection)
  await installJobs(connection)
  const make = makeIn(connection)
  const [ours, theirs] = [await make.organization(), await make.organization()]
  await make.person(ours.id, { name: 'Ours' })
  await make.person(theirs.id, { name: 'Theirs' })
  const query = { organizationId: ours.id, sql: 'select person_name from person_people', tables: tableNames }
  const run = () =>
    runInSandbox(connection, query).then((report) => report?.rows.map(({ content }) => JSON.parse(content)))

  assert.deepEqual(await rightsOf(connection), { hasReportRole: false, maySetTempFileLimit: false })
  const refusal = {
    name: 'QueryRefused',
    message: /role muster_reports, and it is missing: run `muster reports create-role`/,
  }
  await assert.rejects(run(), refusal)
  const lines: string[] = []
  const line = async (text: string) => void lines.push(text)
  const signal = new AbortController().signal
  const io = { write: line, line, error: line, input: (async function* () {})(), signal }
  await assert.rejects(createReportRoleIn(loadConfig(env), undefined, io), /--as postgres:/)
  await createReportRoleIn(loadConfig(env), adminUrl, io)
  assert.deepEqual(lines, ['Reporting queries run as the role muster_reports'])
  assert.deepEqual(await rightsOf(connection), { hasReportRole: true, maySetTempFileLimit: false })
  assert.deepEqual(await run(), [{ person_name: 'Ours' }])
  const { rows } = await sql`select current_user = session_user as is_itself`.execute(connection.db)
  assert.deepEqual(rows, [{ is_itself: true }])
  // A table that a later migration adds is readable as well.
  await connection.executeScript('create table reporting.later (a int)')
  await asAdmin('set role muster_reports; select * from reporting.later')
})

testOnPostgres(
  'where the role was granted beforehand, the migrations of a plain user give it what it reads',
  async (t) => {
    const { connection, asAdmin } = await openForPlainUser(t)
    await asAdmin('grant muster_reports to USER')
    await migrate(connection)
    assert.deepEqual(await rightsOf(connection), { hasReportRole: true, maySetTempFileLimit: false })
  },
)
