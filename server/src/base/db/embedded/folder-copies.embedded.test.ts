import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { connectEmbedded } from '../connect.ts'
import { copyFolder } from './folder-copies.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-copies-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a copy has what was committed, is removed after its use, and is one at a time', async (t) => {
  const dataDir = join(folder, 'first')
  const { withCopy, executeScript, db, close } = await connectEmbedded({ dataDir })
  t.after(close)
  assert.ok(withCopy)
  await executeScript('create table numbers (value int); insert into numbers values (1)')
  const kept = join(folder, 'kept')
  // The transaction began first, so the copy waits for it.
  let copying: Promise<void> | undefined
  await db.transaction().execute(async (tx) => {
    await sql`insert into numbers values (2)`.execute(tx)
    copying = withCopy(async (copy) => {
      await assert.rejects(
        withCopy(async () => {}),
        /Another backup is being made/,
      )
      await executeScript('insert into numbers values (3)')
      cpSync(copy.folder, kept, { recursive: true })
    })
  })
  await copying
  assert.deepEqual(readdirSync(dataDir).toSorted(), ['muster.lock', 'pgdata'])
  const copied = await connectEmbedded({ dataDir: kept })
  t.after(copied.close)
  assert.deepEqual(await copied.executeScript('select value from numbers order by value'), [{ value: 1 }, { value: 2 }])
})

test('a copy that would not fit is refused, and the engine continues', async (t) => {
  const dataDir = join(folder, 'second')
  const full = await connectEmbedded({ dataDir })
  await full.close()
  assert.throws(() => copyFolder(dataDir, 2 ** 60), /A copy needs \d+ MB free beside/)
  assert.ok(!existsSync(join(dataDir, 'pgdata.copy')))
  mkdirSync(join(dataDir, 'pgdata.copy'))
  const again = await connectEmbedded({ dataDir, minimumFreeBytes: 2 ** 60 })
  t.after(again.close)
  assert.ok(!existsSync(join(dataDir, 'pgdata.copy')), 'what a kill left is removed')
  await assert.rejects(again.withCopy?.(async () => {}) ?? Promise.resolve(), /A copy needs/)
  assert.deepEqual(await again.executeScript('select 1 as one'), [{ one: 1 }])
})
