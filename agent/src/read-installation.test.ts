import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readInstallation } from './read-installation.ts'

test('what a package left is found beside its file, and what is missing is named', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-installation-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'agent.json')
  await writeFile(join(folder, 'enroll_secret'), 'a-secret\n')
  const fields = { server: 'https://trust.example.com', enroll_secret_file: 'enroll_secret' }
  const found = { server: fields.server, enrollSecret: 'a-secret' }
  await writeFile(file, JSON.stringify(fields))
  assert.deepEqual(await readInstallation(file), { ...found, stateFile: '/var/lib/muster-agent/state.json' })
  await writeFile(file, JSON.stringify({ ...fields, ca_file: 'server-ca.pem' }))
  assert.deepEqual(await readInstallation(file, '/var/lib/here'), {
    ...found,
    caFile: join(folder, 'server-ca.pem'),
    stateFile: '/var/lib/here/state.json',
  })
  for (const text of ['{}', 'null', '[]', '{"server":1}']) {
    await writeFile(file, text)
    await assert.rejects(readInstallation(file), /names no server or no enroll_secret_file$/)
  }
  await writeFile(file, '{')
  await assert.rejects(readInstallation(file), /is not JSON$/)
  await assert.rejects(readInstallation(join(folder, 'none.json')), { code: 'ENOENT' })
})
