import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { keepAddress, keepSecret } from '../trial-files.ts'

const run = promisify(execFile)
const bin = join(import.meta.dirname, '../../../bin/muster.js')

test('muster simulate joins a trial whose enrollment secret begins with a dash', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'muster-dash-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await keepSecret(dataDir, '-XQ7yvB0b1ml9pRz')
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, MUSTER_DATA_DIR: dataDir, MUSTER_BASE_URL: 'http://127.0.0.1:9', PORT: '9' }
  const asked = run(process.execPath, [bin, 'simulate', '--devices', '1', '--duration', '1s'], { env })
  // Nobody listens there; how far it came tells that the secret was read as one.
  const output = await asked.then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  )
  assert.doesNotMatch(output, /enroll-secret/)
  assert.match(output, /device/)
})

test('muster simulate finds the trial of the data folder on any port, and names the address at once', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'muster-port-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await keepSecret(dataDir, 'XQ7yvB0b1ml9pRz')
  await keepAddress(dataDir, { server: 'http://127.0.0.1:9' })
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, MUSTER_DATA_DIR: dataDir }
  const { stdout } = await run(process.execPath, [bin, 'simulate', '--devices', '1', '--duration', '1s'], { env })
  assert.match(stdout, /^http:\/\/127\.0\.0\.1:9 cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:9\./)
})
