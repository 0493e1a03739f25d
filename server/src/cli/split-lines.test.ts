import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitLines } from './split-lines.ts'

async function* chunksOf(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const linesOf = async (text: string, size: number) =>
  (await Array.fromAsync(splitLines(chunksOf(text, size), 100))).map((line) => line.toString('utf8'))

test('lines are the same however the bytes arrive, and only newlines end them', async () => {
  const lines = ['one', '', 'zwei ü 🙂', '\u2028 \u2029 \r', 'last']
  for (const size of [1, 2, 3, 7, 1000]) {
    assert.deepEqual(await linesOf(lines.join('\n'), size), lines)
    assert.deepEqual(await linesOf(`${lines.join('\n')}\n`, size), lines)
  }
  assert.deepEqual(await linesOf('', 5), [])
})

test('a line beyond the limit is refused before it is held', async () => {
  await assert.rejects(linesOf('x'.repeat(200), 50), /longer than 100 bytes/)
})
