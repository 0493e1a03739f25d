import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readStateFile, writeStateFile } from './state-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'simulate-state-'))
after(() => rm(folder, { recursive: true }))

test('what is written is read back, and only its owner may read it', async () => {
  const path = join(folder, 'state.json')
  const state = { seed: 4, startedAtMs: 1_760_000_000_000, nodeKeys: ['a', '', 'c'] }
  await writeStateFile(path, state)
  assert.deepEqual(await readStateFile(path, 4), state)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('a file that is not there yet is no state', async () => {
  assert.equal(await readStateFile(join(folder, 'absent.json'), 4), undefined)
})

test('a file of another seed, or of something else, is refused', async () => {
  const path = join(folder, 'other.json')
  await writeStateFile(path, { seed: 4, startedAtMs: 0, nodeKeys: [] })
  await assert.rejects(readStateFile(path, 5), /belongs to seed 4, not 5/)
  await writeFile(path, '{"keys":[]}')
  await assert.rejects(readStateFile(path, 4), /is not a state file/)
})
