import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { masterKeyFile, openMasterKey } from './master-key.ts'

async function makeDataDir(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-key-'))
  t.after(() => rm(folder, { recursive: true }))
  return join(folder, 'data')
}

test('a master key is made once, readable by its owner only, and found again', async (t) => {
  const dataDir = await makeDataDir(t)
  const made = await openMasterKey({ masterKey: undefined, dataDir })
  assert.equal(made.length, 32)
  assert.equal((await stat(masterKeyFile(dataDir))).mode & 0o777, 0o600)
  assert.deepEqual(await openMasterKey({ masterKey: undefined, dataDir }), made)
})

test('callers that race for the first key all get the same one and leave no drafts', async (t) => {
  const dataDir = await makeDataDir(t)
  const keys = await Promise.all(Array.from({ length: 8 }, () => openMasterKey({ masterKey: undefined, dataDir })))
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1)
  assert.deepEqual(await readdir(dataDir), ['master.key'])
})

test('a key file that others can read is refused', async (t) => {
  const dataDir = await makeDataDir(t)
  await openMasterKey({ masterKey: undefined, dataDir })
  for (const mode of [0o640, 0o604]) {
    await chmod(masterKeyFile(dataDir), mode)
    await assert.rejects(openMasterKey({ masterKey: undefined, dataDir }), ConfigError)
  }
})

test('a damaged key file is refused, never replaced', async (t) => {
  const dataDir = await makeDataDir(t)
  await openMasterKey({ masterKey: undefined, dataDir })
  await writeFile(masterKeyFile(dataDir), 'short')
  await assert.rejects(openMasterKey({ masterKey: undefined, dataDir }), /restore it from a copy/)
})

test('a configured key wins and touches no file', async (t) => {
  const dataDir = await makeDataDir(t)
  const masterKey = Buffer.alloc(32, 7)
  assert.equal(await openMasterKey({ masterKey, dataDir }), masterKey)
  await assert.rejects(stat(dataDir), { code: 'ENOENT' })
})
