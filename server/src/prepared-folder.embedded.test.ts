import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { systemClock } from './base/clock.ts'
import { loadConfig } from './base/config/load-config.ts'
import { connectEmbedded } from './base/db/connect.ts'
import { pendingMigrations } from './base/db/migrate.ts'
import { openDatabase } from './cli/open-database.ts'
import { firstStart } from './first-start.ts'
import { openDeployment } from './open-deployment.ts'
import { makePreparedFolder, preparedFolder } from './prepared-folder.ts'

const roles = { api: true, worker: false }
const testMigrations = new URL('./base/db/test-migrations/', import.meta.url)
let scratch = ''
let made: string[] = []
let prepared = ''

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'muster-prepared-'))
  const parent = join(scratch, 'made')
  made = await Promise.all([makePreparedFolder(parent), makePreparedFolder(parent)])
  prepared = made[0] ?? ''
})
after(() => rm(scratch, { recursive: true, force: true }))

/** A folder of its own for each test. */
const scratchFolder = (name: string) => join(scratch, name)

/** How many tables there are, and what the database's first statement finds. */
async function tablesIn(dataDir: string, from?: string): Promise<number> {
  const connection = await connectEmbedded({ dataDir, prepared: from })
  try {
    const [row] = await connection.executeScript(
      "select count(*)::int as tables from pg_tables where schemaname in ('public', 'pgboss')",
    )
    return Number(row?.['tables'])
  } finally {
    await connection.close()
  }
}

test('a new database is a copy of the prepared one, and an existing one stays as it is', async () => {
  const dataDir = scratchFolder('copied')
  assert.ok((await tablesIn(dataDir, prepared)) > 50)
  assert.ok(!(await readdir(dataDir)).includes('pgdata.incomplete'))
  const own = scratchFolder('own')
  assert.equal(await tablesIn(own), 0)
  assert.equal(await tablesIn(own, prepared), 0)
})

test('the first command on a data folder begins with a copy, too', async () => {
  await makePreparedFolder()
  const connection = await openDatabase(loadConfig({ MUSTER_DATA_DIR: scratchFolder('command') }))
  try {
    assert.deepEqual(await pendingMigrations(connection), [])
  } finally {
    await connection.close()
  }
})

test('a prepared database holds the versions of its tables and no other row', async () => {
  const connection = await connectEmbedded({ dataDir: scratchFolder('rows'), prepared })
  try {
    const tables = await connection.executeScript(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')",
    )
    const names = tables.map(({ name }) => String(name))
    const found = await connection.executeScript(
      names.map((name) => `select '${name}' as name where exists (select from ${name})`).join(' union all '),
    )
    const filled = found.map(({ name }) => String(name)).toSorted()
    assert.deepEqual(filled, ['pgboss.version', 'public.schema_migrations'])
  } finally {
    await connection.close()
  }
})

test('two installations share nothing that a first start makes', async () => {
  const [one, other] = [await firstStartIn('one'), await firstStartIn('other')]
  for (const [name, value] of Object.entries(one)) {
    assert.ok(value, name)
    assert.notEqual(value, other[name as keyof typeof other], name)
  }
})

async function firstStartIn(name: string) {
  const dataDir = scratchFolder(name)
  await cp(prepared, join(dataDir, 'database'), { recursive: true })
  const config = loadConfig({ MUSTER_DATA_DIR: dataDir })
  const { connection, secrets } = await openDeployment(config, systemClock, roles)
  try {
    const first = await firstStart(connection.db, secrets, config.bootstrap, { isTrial: true, now: systemClock() })
    return { fingerprint: secrets.fingerprint, key: first?.apiKey?.key, secret: first?.enrollSecret }
  } finally {
    await connection.close()
  }
}

test('other migrations have another prepared database, and a draft is not taken for one', async () => {
  const parent = join(scratch, 'made')
  assert.equal(await preparedFolder(parent), prepared)
  assert.equal(await preparedFolder(parent, testMigrations), undefined)
  const drafts = scratchFolder('drafts')
  await mkdir(`${prepared.replace(parent, drafts)}.1b4e28ba`, { recursive: true })
  assert.equal(await preparedFolder(drafts), undefined)
})

test('processes that prepare at the same time leave one whole folder', async () => {
  const parent = join(scratch, 'made')
  assert.deepEqual(
    await readdir(parent),
    made.slice(0, 1).map((path) => path.slice(parent.length + 1)),
  )
  assert.equal(made[0], made[1])
})

test('a copy that was interrupted is begun again', async () => {
  const dataDir = scratchFolder('interrupted')
  await mkdir(dataDir)
  await cp(join(prepared, 'pgdata'), join(dataDir, 'pgdata'), { recursive: true })
  await rm(join(dataDir, 'pgdata', 'base'), { recursive: true })
  await writeFile(join(dataDir, 'pgdata.incomplete'), '')
  assert.ok((await tablesIn(dataDir, prepared)) > 50)
})

test('a prepared database that cannot be opened is passed over', async () => {
  const [broken, gone] = [scratchFolder('broken'), scratchFolder('gone')]
  await cp(prepared, broken, { recursive: true })
  await truncate(join(broken, 'pgdata', 'global', 'pg_control'), 100)
  assert.equal(await tablesIn(scratchFolder('from-broken'), broken), 0)
  assert.equal(await tablesIn(scratchFolder('from-gone'), gone), 0)
})
