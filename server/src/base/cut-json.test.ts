import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { closeCut } from './cut-json.ts'
import { agentLimits, type JsonLimits } from './scan-json.ts'

const closed = async (text: string, limits: JsonLimits = agentLimits): Promise<string> =>
  (await closeCut(Buffer.from(text), limits)).toString()

const cuts: [what: string, text: string, expected: string][] = [
  [
    'a log keeps its whole lines',
    '{"node_key":"k","log_type":"result","data":[{"a":[{"b":"1"}]},{"a":[{"b":"2"}]},{"a":[{"b":"3"}',
    '{"node_key":"k","log_type":"result","data":[{"a":[{"b":"1"}]},{"a":[{"b":"2"}]}]}',
  ],
  ['a line that is whole at the cut is kept', '{"data":[{"a":"1"}', '{"data":[{"a":"1"}]}'],
  ['a write keeps its whole answers', '{"queries":{"a":[{"x":"1"}],"b":[{"x":"2"}', '{"queries":{"a":[{"x":"1"}]}}'],
  ['a name without its value is dropped', '{"queries":{"a":[],"b"', '{"queries":{"a":[]}}'],
  ['a name with a colon alone is dropped', '{"queries":{"a":[]},"statuses":', '{"queries":{"a":[]}}'],
  ['the end of a member is its own', '{"queries":{"a":[]},"statuses":{"a":0', '{"queries":{"a":[]},"statuses":{}}'],
  ['half a number is dropped', '{"statuses":{"a":0,"b":12', '{"statuses":{"a":0}}'],
  ['half a text is dropped', '{"data":["a","b\\"],', '{"data":["a"]}'],
  ['a bracket in a text is none', '{"data":["]}","\\\\",{"a":"]}]}', '{"data":["]}","\\\\"]}'],
  ['a bracket in a name is none', '{"a[{\\"":[1,2', '{"a[{\\"":[1]}'],
  ['white space stays where it was', ' \n{ "data" : [ {} , { } , [ ', '{ "data" : [ {} , { } ]}'],
  ['empty containers are whole', '{"a":[],"b":{},"c":[{},[],"', '{"a":[],"b":{},"c":[{},[]]}'],
  ['a whole object stays', '{"a":[1,{"b":2}]} ', '{"a":[1,{"b":2}]}'],
  ['what is behind an object is dropped', '{"a":1}{"b":2', '{"a":1}'],
  [
    'of a first line that is cut nothing is kept',
    '{"log_type":"result","data":[{"a":',
    '{"log_type":"result","data":[]}',
  ],
  ['a bracket alone is an empty object', '{', '{}'],
  ['half a name', '{"a', '{}'],
  ['a list is no object', '[{"a":1},', ''],
  ['blanks are no object', '  \n', ''],
  ['nothing is no object', '', ''],
  ['a bracket of the other kind ends it', '{"a":[1,2},"b":[3]}', '{"a":[1]}'],
]
for (const [what, text, expected] of cuts) {
  test(`of a text that is cut, ${what}`, async () => {
    assert.equal(await closed(text), expected)
  })
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

const beyond: [what: string, limits: Partial<JsonLimits>, text: string, expected: string][] = [
  ['values', { values: 5 }, '{"data":[{"a":1,"b":2},{"a":3}]}', '{"data":[{"a":1,"b":2}]}'],
  ['containers', { containers: 3 }, '{"data":[{},{},{}]}', '{"data":[{}]}'],
  ['levels', { depth: 3 }, '{"data":[{"a":1},{"a":[1]},{"a":2}]}', '{"data":[{"a":1}]}'],
  [
    'members of one object',
    {},
    `{"data":[{"a":1},${JSON.stringify(Object.fromEntries(numbers(5_001).map((at) => [`k${at}`, at])))}]}`,
    '{"data":[{"a":1}]}',
  ],
]
for (const [what, limits, text, expected] of beyond) {
  test(`a text with more ${what} than it may have is cut before them`, async () => {
    assert.equal(await closed(text, { ...agentLimits, ...limits }), expected)
    const all = { depth: 4, containers: 6, values: 9 }
    if (what !== 'members of one object') assert.equal(await closed(text, all), text, 'within the limits it stays')
  })
}

/** Whether the cut value is how the whole one begins, cut inside its members at most. */
function isBeginning(cut: Record<string, unknown>, whole: Record<string, unknown>): boolean {
  const names = Object.keys(cut)
  return names.every((name, at) => {
    const [kept, sent] = [cut[name], whole[name]]
    if (JSON.stringify(kept) === JSON.stringify(sent)) return true
    if (at < names.length - 1 || typeof kept !== 'object' || kept === null) return false
    if (typeof sent !== 'object' || sent === null || Array.isArray(kept) !== Array.isArray(sent)) return false
    const all: Record<string, unknown> = { ...sent }
    return Object.entries(kept).every(([key, value]) => JSON.stringify(value) === JSON.stringify(all[key]))
  })
}

test('any object that is cut anywhere parses, and what it keeps is what was sent, as much as is whole', async () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((any) => JSON.parse(JSON.stringify(any)))
  const member = fc.oneof(value, fc.array(value), fc.dictionary(fc.string(), value))
  const space = fc.constantFrom(undefined, 1, '\t\n ')
  // Names of digits come first in an object, whatever the text says.
  const name = fc.string().filter((text) => !/^\d+$/.test(text) && text !== '__proto__')
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, member), fc.nat(), space, async (object, place, blanks) => {
      const bytes = Buffer.from(JSON.stringify(object, null, blanks))
      const whole = JSON.parse(bytes.toString())
      const cut = JSON.parse((await closeCut(bytes.subarray(0, 1 + (place % bytes.length)), agentLimits)).toString())
      assert.ok(isBeginning(cut, whole), JSON.stringify(cut))
      assert.deepEqual(JSON.parse((await closeCut(bytes, agentLimits)).toString()), whole)
    }),
  )
})

test('a line is kept as soon as all of it is there, wherever a log is cut', async () => {
  const lines = ['{"a":"]\\"}"}', '{"snapshot":[{"b":"1"},{}]}', '{}']
  const start = '{"node_key":"k","data":['
  const text = `${start}${lines.join(',')}]}`
  for (let length = start.length; length <= text.length; length += 1) {
    const { data } = JSON.parse(await closed(text.slice(0, length)))
    const whole = lines.filter((_, at) => start.length + lines.slice(0, at + 1).join(',').length <= length)
    assert.equal(JSON.stringify(data), `[${whole.join(',')}]`, text.slice(0, length))
  }
})

test('hostile text breaks nothing', async () => {
  const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', ' ', '{"a":[', '\u{fffd}')
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
      const text = `{${pieces.join('')}`
      assert.ok((await closed(text)).startsWith('{'), text)
    }),
  )
})

test('others have their turn while a long text is cut', async () => {
  const text = Buffer.from(`{"data":[${'{"a":"b"},'.repeat(800_000)}`)
  let turns = 0
  let isDone = false
  const cutting = closeCut(text, { ...agentLimits, containers: 1e9, values: 1e9 }).finally(() => {
    isDone = true
  })
  for (; !isDone; turns += 1) await nextTurn()
  assert.equal((await cutting).length, text.length - 1 + 2)
  assert.ok(turns >= 7, `${turns} turns`)
})
