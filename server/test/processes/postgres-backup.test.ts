import assert from 'node:assert/strict'
import { chmod, copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { connectPostgres } from '../../src/base/db/connect.ts'
import { testOnPostgres } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { trustingReceivers } from './outlive-kills.ts'
import { outliveRestore } from './outlive-restore.ts'
import { type OwnCluster, openOwnCluster } from './own-cluster.ts'

/** Where the server's user can read it, which is not everywhere that the project may be. */
async function scriptIn(folder: string, name: string): Promise<string> {
  const copy = join(folder, name)
  await copyFile(fileURLToPath(new URL(`../../../deploy/postgres/${name}`, import.meta.url)), copy)
  await chmod(copy, 0o755)
  return copy
}

type Row = Record<string, string | boolean | Date>

async function ask({ url }: OwnCluster, text: string): Promise<Row> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows[0] ?? {}
  } finally {
    await client.end()
  }
}

/** As docs/operating.md says. */
async function archiveInto(cluster: OwnCluster, archive: string): Promise<void> {
  await cluster.run('mkdir', archive)
  const command = `test ! -f ${archive}/%f && cp %p ${archive}/%f.partial && mv ${archive}/%f.partial ${archive}/%f`
  await ask(cluster, 'alter system set archive_mode = on')
  await ask(cluster, `alter system set archive_command = '${command}'`)
  await cluster.restart()
}

/** So that the archive has all that was committed. */
async function archiveAll(cluster: OwnCluster): Promise<void> {
  const { file } = await ask(cluster, 'select pg_walfile_name(pg_switch_wal()) as file')
  const isArchived = () => ask(cluster, `select last_archived_wal >= '${String(file)}' as done from pg_stat_archiver`)
  await until(30_000, async () => (await isArchived())['done'] === true)
}

testOnPostgres('PostgreSQL is backed up and restored to a moment by the scripts', async (t) => {
  const cluster = await openOwnCluster(t)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const folder = dirname(cluster.data)
  const [backup, archive] = [join(folder, 'backup'), join(folder, 'wal')]
  const [backupScript, restoreScript] = [await scriptIn(folder, 'backup.sh'), await scriptIn(folder, 'restore.sh')]
  const backUp = () => cluster.run('env', `BACKUP_URL=${cluster.url}`, 'sh', backupScript, backup)
  const restoreTo = (data: string, ...words: string[]) =>
    cluster.run('sh', restoreScript, '--backup', backup, '--data', data, ...words)
  await archiveInto(cluster, archive)
  const { db, close } = await connectPostgres({ url: cluster.url })
  t.after(close)
  const rates = { MUSTER_RATE_LIMIT_PER_MINUTE: '100000', MUSTER_TRUST_PROXY: '127.0.0.1' }
  const settings = { ...rates, MUSTER_BASE_URL: 'https://trust.example.com', ...trustingReceivers(t) }
  const place = openPostgresPlace(t, { url: cluster.url, db }, settings)
  let moment = ''

  await outliveRestore(t, {
    ...{ place, key: place.key, enrollSecret: place.enrollSecret },
    async backUp() {
      assert.match((await backUp()).stdout, /^Wrote .*backup, \d+ KB\n$/)
      // Devices go on reporting: the moment is later than what the base backup has.
      await pause(500)
      moment = String(
        (await ask(cluster, `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as now`))['now'],
      )
    },
    async restore() {
      await archiveAll(cluster)
      await cluster.stop()
      await assert.rejects(restoreTo(cluster.data), /is not empty: move it away first/)
      await cluster.run('mv', cluster.data, `${cluster.data}.lost`)
      await restoreTo(cluster.data, '--wal', archive, '--until', `${moment}+00`)
      await cluster.start()
      await until(60_000, async () => (await ask(cluster, 'select pg_is_in_recovery() as is'))['is'] === false)
      const followed = await place.run(['restore', '--database-is-restored'])
      assert.deepEqual([followed.exit, followed.out], [0, 'The database is ready: start Muster\n'], followed.err)
      return {}
    },
  })

  await t.test('a database that is in use is not taken for one that was restored', async () => {
    const worker = await place.startWorker()
    const refused = await place.run(['restore', '--database-is-restored'])
    assert.deepEqual([refused.exit, refused.out], [4, ''])
    assert.match(refused.err, /in use by muster worker: stop every process of Muster/)
    assert.equal(await worker.stop(), 0)
    assert.equal((await place.run(['restore', '--database-is-restored'])).exit, 0)
  })

  await t.test('a backup over another, or one that was changed, is refused and leaves nothing', async () => {
    await assert.rejects(backUp(), /exists already/)
    const elsewhere = join(folder, 'elsewhere')
    await assert.rejects(restoreTo(elsewhere, '--until', moment), /--until needs/)
    await cluster.run('truncate', '--size=-20000', join(backup, 'base.tar.gz'))
    await assert.rejects(restoreTo(elsewhere), /is not as it was written|is no backup/)
    const { stdout } = await cluster.run('ls', folder)
    assert.doesNotMatch(stdout, /elsewhere|partial/)
  })
})
