import assert from 'node:assert/strict'
import { join } from 'node:path'
import { connectPostgres } from '../../src/base/db/connect.ts'
import { testOnPostgres } from '../support/database.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { openOwnCluster } from './own-cluster.ts'

testOnPostgres('a process that starts at a standby says so, and starts once that is the primary', async (t) => {
  const cluster = await openOwnCluster(t)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const { db, executeScript, close } = await connectPostgres({ url: cluster.url })
  t.after(close)
  const place = openPostgresPlace(t, { url: cluster.url, db })
  assert.equal((await place.run(['migrate'])).exit, 0)
  await executeScript('create database unmigrated template template0')
  await cluster.stop()
  await cluster.run('touch', join(cluster.data, 'standby.signal'))
  await cluster.start()

  const sentence = 'The database is a standby and refuses writes. Connect to the primary.\n'
  for (const command of ['serve', 'worker']) {
    const { exit, err } = await place.run([command], { PORT: '0' })
    assert.deepEqual({ exit, err }, { exit: 4, err: `Cannot start: ${sentence}` }, command)
  }
  assert.deepEqual(await place.run(['migrate']), { exit: 0, out: 'The database is up to date\n', err: '' })
  const unmigrated = Object.assign(new URL(cluster.url), { pathname: '/unmigrated' }).href
  assert.deepEqual(await place.run(['migrate'], { DATABASE_URL: unmigrated }), { exit: 4, out: '', err: sentence })
  assert.deepEqual(await place.run(['organizations', 'list']), { exit: 4, out: '', err: sentence })

  await executeScript('select pg_promote()')
  const server = await place.start(['serve'])
  assert.equal((await server.ask('GET', '/whoami', { key: place.key })).status, 200)
})
