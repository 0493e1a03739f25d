import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { generateKey } from '../../src/base/secrets/token-format.ts'
import { openPlace } from '../support/muster-process.ts'
import { trustingReceivers } from './outlive-kills.ts'
import { outliveRestore } from './outlive-restore.ts'

const key = generateKey()
const enrollSecret = randomBytes(24).toString('base64url')
const settings = {
  MUSTER_MASTER_KEY: randomBytes(32).toString('hex'),
  MUSTER_BASE_URL: 'https://trust.example.com',
  MUSTER_TRUST_PROXY: '127.0.0.1',
  MUSTER_RATE_LIMIT_PER_MINUTE: '100000',
  MUSTER_BOOTSTRAP_ORGANIZATION: 'Acme',
  MUSTER_BOOTSTRAP_API_KEY: key,
  MUSTER_BOOTSTRAP_ENROLL_SECRET: enrollSecret,
  MUSTER_BOOTSTRAP_PERSON_EMAIL: 'ada@acme.example',
}

test('a backup that is taken under load restores to an installation that tells receivers nothing wrong', async (t) => {
  const place = openPlace(t, { ...settings, ...trustingReceivers(t) })
  const file = join(dirname(place.dataDir), 'backup.tar.gz')
  await outliveRestore(t, {
    ...{ place, key, enrollSecret },
    async backUp() {
      const { exit, out, err } = await place.run(['backup', '--output', file])
      assert.equal(exit, 0, err)
      assert.match(
        out,
        /^Wrote .*backup\.tar\.gz, \d+\.\d MB\nThe master key is not in it\. It is MUSTER_MASTER_KEY: .*\n$/,
      )
      assert.match(err, /^The copy paused the database for \d+\.\d s\n$/)
      assert.equal((await stat(file)).mode & 0o777, 0o600)
      assert.deepEqual(await readdir(join(place.dataDir, 'database')), ['muster.lock', 'pgdata'])
    },
    async restore() {
      const restoredIn = { MUSTER_DATA_DIR: join(dirname(place.dataDir), 'restored') }
      const { exit, err } = await place.run(['restore', '--input', file], restoredIn)
      assert.equal(exit, 0, err)
      return restoredIn
    },
  })
})
