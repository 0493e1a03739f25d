import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { goDirectly } from '../../base/db/run-directly.ts'
import type { Db } from '../../base/db/transact.ts'
import { startAdmissions } from './admissions.ts'

type Statement = { hashes: string[]; answer: () => void }

/** A database whose statements are answered, with no key known, when the test says so. */
function openSilent() {
  const statements: Statement[] = []
  const db = {} as Db
  const run = (_text: string, [hashes]: readonly unknown[]) =>
    new Promise<[]>((resolve) => {
      statements.push({ hashes: (hashes as Buffer[]).map(String), answer: () => resolve([]) })
    })
  goDirectly(db, { run, read: (_party, text, parameters) => run(text, parameters) })
  const settings = { db, windowMs: 60_000, clock: () => '2026-11-20T10:00:00.000Z', onUse: () => {} }
  const { admit } = startAdmissions(settings)
  return { statements, admit: (key: string) => admit(Buffer.from(key)) }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5)
}

test('what arrives while a statement is under way shares the next', async () => {
  const { statements, admit } = openSilent()
  const first = admit('a')
  await until(() => statements.length === 1)
  const others = [admit('a'), admit('b'), admit('a')]
  statements[0]?.answer()
  await first
  await until(() => statements.length === 2)
  assert.deepEqual(statements[1]?.hashes, ['a', 'b'])
  statements[1]?.answer()
  assert.deepEqual(await Promise.all(others), [undefined, undefined, undefined])
  assert.equal(statements.length, 2)
})

test('a statement that is not answered is not waited for, and holds up no other key', async () => {
  const { statements, admit } = openSilent()
  const silent = admit('a')
  await until(() => statements.length === 1)
  const second = admit('a')
  await until(() => statements.length === 2)
  const held = admit('a')
  const other = admit('b')
  await until(() => statements.length === 3)
  assert.deepEqual(statements[2]?.hashes, ['b'], 'the row of a may be held')
  statements[2]?.answer()
  await other
  await admitAnswered('c')
  statements[1]?.answer()
  await second
  await until(() => statements.length === 5)
  assert.deepEqual(statements[4]?.hashes, ['a'])
  for (const { answer } of statements) answer()
  await Promise.all([silent, held])

  async function admitAnswered(key: string): Promise<void> {
    const admitted = admit(key)
    await until(() => statements.length === 4)
    statements[3]?.answer()
    await admitted
  }
})

test('a request that waits for ten seconds is rejected, and four statements are under way at most', async (t) => {
  const { statements, admit } = openSilent()
  const all: Promise<unknown>[] = []
  for (const key of ['a', 'b', 'c', 'd']) {
    all.push(admit(key))
    await until(() => statements.length === all.length)
  }
  const late = admit('e')
  const isLate = assert.rejects(late, { code: 'ETIMEDOUT' })
  await pause(600)
  assert.equal(statements.length, 4)
  const now = performance.now()
  const clock = mock.method(performance, 'now', () => now + 10_000)
  t.after(() => clock.mock.restore())
  await isLate
  for (const { answer } of statements) answer()
  await Promise.all(all)
})
