import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CommandError, exitCodes } from '../command-error.ts'
import { readTextFile } from './read-text-file.ts'

test('a file is read as its byte order mark says, and refused by its name where it is no text', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-text-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'query.sql')
  const sql = "SELECT 'ü' AS KOLIDE_CHECK_STATUS"
  for (const bytes of [Buffer.from(sql), Buffer.from(`\ufeff${sql}`), Buffer.from(`\ufeff${sql}`, 'utf16le')]) {
    await writeFile(file, bytes)
    assert.equal(await readTextFile(file), sql)
  }
  await writeFile(file, Buffer.from(sql, 'utf16le'))
  for (const [named, reason] of [
    [file, 'it is UTF-16 without a byte order mark, or no text: save it as UTF-8'],
    [join(folder, 'none'), 'ENOENT'],
  ] as const) {
    await assert.rejects(readTextFile(named), (error) => {
      assert.ok(error instanceof CommandError)
      assert.equal(error.exitCode, exitCodes.usage)
      assert.ok(error.message.startsWith(`Cannot read ${named}: ${reason}`), error.message)
      return true
    })
  }
})
