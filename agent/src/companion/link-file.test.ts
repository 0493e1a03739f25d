import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { linkPlacer } from './link-file.ts'

const scratch = await mkdtemp(join(tmpdir(), 'link-file-'))
after(() => rm(scratch, { recursive: true }))
const [first, second, old] = ['first', 'second', 'old'].map((name) => name.padEnd(24, '-')) as [string, string, string]

test('the file that the server asks for is placed for root alone, and no other is left', async () => {
  const folder = join(scratch, 'link')
  const place = linkPlacer(folder, () => {})
  await place(first)
  await writeFile(join(folder, old), '')
  await place(second)
  assert.deepEqual(await readdir(folder), [second])
  const { mode } = await stat(join(folder, second))
  assert.deepEqual([mode & 0o777, (await stat(folder)).mode & 0o777], [0o600, 0o700])
  await place(null)
  assert.deepEqual(await readdir(folder), [])
})

test('the file of another companion is not removed by one that was asked for none', async () => {
  const folder = join(scratch, 'shared')
  await linkPlacer(folder, () => {})(first)
  await linkPlacer(folder, () => {})(null)
  assert.deepEqual(await readdir(folder), [first])
})

test('a file that cannot be placed, or has another name than files have, is said once and ends nothing', async () => {
  const lines: string[] = []
  await writeFile(join(scratch, 'file'), '')
  const place = linkPlacer(join(scratch, 'file', 'link'), (line) => lines.push(line))
  for (let times = 0; times < 3; times += 1) await place(first)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /its key does not count, because its file cannot be placed: ENOTDIR/)
  await place('../../etc/passwd')
  assert.match(lines[1] ?? '', /a name that is none$/)
})
