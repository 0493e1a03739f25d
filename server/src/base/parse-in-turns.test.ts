import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { parseInTurns } from './parse-in-turns.ts'
import { agentLimits } from './scan-json.ts'

const kibibyte = 1024

function outcomeOf(text: string): unknown {
  try {
    return { ok: JSON.parse(text) }
  } catch {
    return { fault: 'not_json' }
  }
}

/** Without the difference, which would be as long as the text. */
async function assertSame(text: string): Promise<void> {
  assert.ok(isDeepStrictEqual(await parseInTurns(Buffer.from(text), agentLimits), outcomeOf(text)), text.slice(0, 100))
}

/** A text that is long enough to be parsed piece by piece. */
const long = (text: string): string => text + ' '.repeat(Math.max(0, 65 * kibibyte - text.length))

const rows = (count: number) =>
  JSON.stringify({ queries: { a: Array.from({ length: count }, (_, row) => ({ path: `/${row}"\\é`, row })) } })

const texts: [what: string, text: string][] = [
  ['rows', rows(30_000)],
  [
    'many members',
    JSON.stringify(Object.fromEntries(Array.from({ length: 4_900 }, (_, at) => [`key${at}`, 'x'.repeat(20)]))),
  ],
  ['a name twice', `{"a":1,"b":[${'1,'.repeat(30_000)}1],"a":2,"b":3}`],
  ['a name of the prototype', `{"__proto__":[${'1,'.repeat(30_000)}1],"b":{"__proto__":1}}`],
  ['a long text', JSON.stringify(['é"\\'.repeat(100_000)])],
  ['white space', ` { "a" :\t[ ${'1 ,\r\n '.repeat(30_000)} 2 ] , "b" : { } , "c" : [ ] } \n`],
  ['an empty list', long('[ ]')],
  ['a number', long('12')],
  ['a text that is not closed', long('["a')],
  ['a list that is not closed', `[${'1,'.repeat(50_000)}1`],
  ['a comma at the end', `[${'1,'.repeat(50_000)}]`],
  ['a comma at the start', `[,${'1,'.repeat(50_000)}1]`],
  ['a bracket of the other kind', `[${'1,'.repeat(50_000)}1}`],
  ['brackets of the other kind inside', `[[${'1,'.repeat(50_000)}1},{1]]`],
  ['text behind the end', `[${'1,'.repeat(50_000)}1] 1`],
  ['a member without a name', `{"a":[${'1,'.repeat(50_000)}1],1}`],
  ['a name that is no text', `{"a":1,1:[${'1,'.repeat(50_000)}1]}`],
  ['a member without a value', `{"a":[${'1,'.repeat(50_000)}1],"b":}`],
  ['two values in a row', `[[${'1,'.repeat(50_000)}1] [2]]`],
  ['half a character', long('["\u{fffd}"]')],
]
for (const [what, text] of texts) {
  test(`a long body with ${what} is what JSON.parse makes of it`, async () => {
    await assertSame(text)
  })
}

test('any long text is what JSON.parse makes of it, also when a part of it is missing or there twice', async () => {
  const filler = JSON.stringify(Array.from({ length: 15_000 }, (_, at) => `t${at}`))
  const damage = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    inserted: fc.constantFrom('', ',', ']', '}', '"', '{', '[', ':', '\\'),
  })
  const whole = fc.record({ value: fc.jsonValue({ maxDepth: 5 }), name: fc.string() })
  await fc.assert(
    fc.asyncProperty(whole, fc.option(damage), async ({ value, name }, damaged) => {
      const text = `{"filler":${filler},${JSON.stringify(name)}:${JSON.stringify(value)},"more":[${filler},${JSON.stringify(value)}]}`
      const at = Math.floor((damaged?.at ?? 0) * text.length)
      const sent = damaged ? text.slice(0, at) + damaged.inserted + text.slice(at + 1) : text
      await assertSame(sent)
    }),
    { numRuns: 200 },
  )
})

const tooLarge: [what: string, text: string][] = [
  ['lists deep inside each other', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['a list of a quarter million objects', `[${'{"a":1},'.repeat(250_000)}{}]`],
  [
    'an object of thousands of names',
    JSON.stringify(Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`k${at}`, at]))),
  ],
  ['a list of two million numbers', `[${'1,'.repeat(2_000_000)}1]`],
]
for (const [what, text] of tooLarge) {
  test(`a body with ${what} is refused before it is parsed`, async () => {
    assert.deepEqual(await parseInTurns(Buffer.from(text), agentLimits), { fault: 'too_large' })
  })
}

test('others have their turn while a body is parsed', async () => {
  let isDone = false
  let turns = 0
  const parsing = parseInTurns(Buffer.from(rows(90_000)), agentLimits).finally(() => {
    isDone = true
  })
  for (; !isDone; turns += 1) await nextTurn()
  await parsing
  assert.ok(turns > 20, `${turns} turns`)
})
