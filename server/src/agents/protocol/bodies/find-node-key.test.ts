import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { nodeKeyAtEnd, nodeKeyAtStart } from './find-node-key.ts'
import { inflateUpTo } from './inflate-up-to.ts'

const key = 'k'.repeat(43)

const starts: [string, string | undefined][] = [
  [`{"node_key":"${key}"}`, key],
  [` {\n "node_key" : "${key}" , "log_type":"status","data":[`, key],
  [`{"log_type":"result","node_key":"${key}","data":[{`, key],
  [`{"a":{"b":[1,{"node_key":"nested"}]},"node_key":"${key}"`, key],
  [`{"a":{"node_key":"nested"},"data":[`, undefined],
  [`{"a":"\\"node_key\\":\\"text\\"","data":[`, undefined],
  [`{"a":"node_key","b":"${key}"`, undefined],
  [`{"node_key":{"node_key":"nested"},"b":"c"`, undefined],
  [`[{"node_key":"nested"}]`, undefined],
  [`["node_key","${key}"]`, undefined],
  [`{"data":[]}{"node_key":"another object"}`, undefined],
  [`{"node_key":"cut off`, undefined],
  ['', undefined],
  ['}}}"', undefined],
]
for (const [text, expected] of starts) {
  test(`at the start of ${text.slice(0, 40)} the node key is ${expected === key ? 'found' : 'not found'}`, () => {
    assert.equal(nodeKeyAtStart(text), expected)
  })
}

test('of any object, what is found at its start or its end is its own node key and nobody else’s', () => {
  const other = fc.dictionary(fc.constantFrom('node_key', 'data', 'queries', '"node_key":"x"}'), fc.jsonValue())
  const members = fc.record({ first: other, last: other, value: fc.stringMatching(/^[\w-]{43}$/) })
  fc.assert(
    fc.property(members, ({ first, last, value }) => {
      const { node_key: _first, ...before } = first
      const { node_key: _last, ...after } = last
      const nested = JSON.stringify({ ...before, inner: first })
      assert.equal(nodeKeyAtStart(nested), undefined)
      assert.equal(nodeKeyAtEnd(Buffer.from(nested)), undefined)
      assert.equal(nodeKeyAtStart(JSON.stringify({ ...before, node_key: value, ...after })), value)
      assert.equal(nodeKeyAtEnd(Buffer.from(JSON.stringify({ ...before, inner: last, node_key: value }))), value)
    }),
  )
})

test('the start of a compressed body is found without inflating the rest', async () => {
  const body = Buffer.from(`{"node_key":"${key}","data":["${'x'.repeat(100_000)}"]}`)
  const startOf = async (bytes: Buffer) => (await inflateUpTo(bytes, 4096, { isCut: true })).bytes
  assert.deepEqual(await startOf(gzipSync(body).subarray(0, 4608)), body.subarray(0, 4096))
  assert.deepEqual(await startOf(gzipSync(body.subarray(0, 100))), body.subarray(0, 100))
  assert.equal((await startOf(Buffer.from([0x1f, 0x8b, 8, 0, 1, 2]))).length, 0)
})
