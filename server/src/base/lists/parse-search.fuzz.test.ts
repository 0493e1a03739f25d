import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import fc from 'fast-check'
import { thingExpression, thingSearch, writeSearch } from '../../../test/support/searched-things.ts'
import { extent } from '../../../test/support/soak.ts'
import { parseSearch } from './parse-search.ts'
import { SearchError } from './search-error.ts'

const runs = Number(process.env['MUSTER_FUZZ_RUNS'] ?? extent(10_000, 1_000_000))

/** Whether the text was accepted; fails the test for anything but an expression or a SearchError that holds its promises. */
function accepts(text: string): boolean {
  try {
    const expression = parseSearch(text, thingSearch)
    assert.ok(expression === undefined || expression.every((clauses) => clauses.length > 0))
    return true
  } catch (error) {
    if (!(error instanceof SearchError)) throw error
    assert.ok(error.position >= 0 && error.position <= text.length, 'the position lies in the text')
    assert.ok(error.message.length > 0 && error.message.length < 400, 'the message is short')
    return false
  }
}

const pieces = [
  ...Object.keys(thingSearch),
  ...[
    ':',
    '~',
    '<',
    '>',
    '=',
    '<=',
    ' ',
    ' AND ',
    ' OR ',
    'AND',
    'OR',
    '"',
    '\\',
    '[',
    ']',
    ',',
    '(',
    ')',
    'null',
    'true',
    'good',
  ],
  ...['name:a', 'id:[1,2]', 'seen_at>', '2026-01-31', 'T10:00:00', '+02:00', '.5', 'Z', '"Will Block"', '1', '%', '_'],
  ...['\u0000', '\n', '\ud800', '\udc00', '😀', 'é', '\u00a0', '__proto__', 'x'.repeat(500), 'name:a OR '.repeat(30)],
]
const almostGrammar = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''))
const bytes = fc.uint8Array({ maxLength: 60 }).map((raw) => Buffer.from(raw).toString('latin1'))
const units = fc.string({ unit: 'binary', maxLength: 40 })
const brokenUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
  .map((raw) => String.fromCharCode(...raw))

test(`any of ${runs} inputs gives a search or a SearchError`, (t) => {
  let accepted = 0
  const inputs = fc.oneof({ weight: 6, arbitrary: almostGrammar }, bytes, units, brokenUnits)
  const property = fc.property(inputs, (text) => {
    if (accepts(text)) accepted += 1
  })
  fc.assert(property, { numRuns: runs })
  t.diagnostic(`${accepted} accepted`)
  assert.ok(accepted > runs / 200, 'some of the inputs must be searches')
})

test('a valid search with one character changed gives a search or a SearchError', () => {
  const character = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
  const property = fc.property(
    thingExpression,
    fc.nat(),
    character,
    fc.boolean(),
    (expression, at, inserted, isTerse) => {
      const text = writeSearch(expression, isTerse)
      const place = at % text.length
      accepts(text.slice(0, place) + inserted + text.slice(place + 1))
    },
  )
  fc.assert(property, { numRuns: Math.ceil(runs / 10) })
})

test('a search written as text is read back as it was meant', () => {
  const property = fc.property(thingExpression, fc.boolean(), (expression, isTerse) => {
    const text = writeSearch(expression, isTerse)
    fc.pre(Buffer.byteLength(text) <= 2048)
    assert.deepEqual(parseSearch(text, thingSearch), expression)
  })
  fc.assert(property, { numRuns: 10_000 })
})

/** Texts of a size in bytes, each shaped to make another part of the parser work hardest. */
function textsOf(size: number): string[] {
  const filled = (start: string, unit: string, end = '') =>
    (start + unit.repeat(size)).slice(0, size - end.length) + end
  const clauses = Math.floor((50 * size) / 2048)
  return [
    filled('name:', 'a'),
    filled('name:"', '\\\\', '"'),
    filled('name:"', '\\"'),
    filled('', 'a'),
    filled('', ' ', 'name:a'),
    filled('', ':~'),
    filled('name~"', '%_ AND ', '"'),
    filled('id:[1', ' ', ']'),
    `note:[${Array(Math.floor((100 * size) / 2048))
      .fill('"abc\\" \\\\def"')
      .join(', ')}]`,
    Array(clauses).fill('seen_at>"2026-01-31T10:00:00.123+02:00"').join(' AND ').slice(0, size),
    Array(clauses).fill('state:"will block" OR name~"a b"').join(' AND ').slice(0, size),
    Array(clauses).fill('nope:1').join(' OR '),
  ]
}

function timesMs(texts: string[], rounds: number): number[] {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const text of texts) {
      const start = performance.now()
      accepts(text)
      times.push(performance.now() - start)
    }
  }
  return times.sort((a, b) => a - b)
}

const quantile = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN

test('2 KiB are read within a few milliseconds, in time that grows linearly', (t) => {
  const [small, large] = [textsOf(512), textsOf(2048)]
  timesMs([...small, ...large], 100)
  const attempts = [1, 2, 3].map(() => {
    const [smallTimes, largeTimes] = [timesMs(small, 400), timesMs(large, 400)]
    return { p999Ms: quantile(largeTimes, 0.999), growth: quantile(largeTimes, 0.5) / quantile(smallTimes, 0.5) }
  })
  const p999Ms = Math.min(...attempts.map((attempt) => attempt.p999Ms))
  t.diagnostic(
    `p99.9 of 2 KiB: ${p999Ms.toFixed(3)} ms; growth from 512 B: ${attempts.map((a) => a.growth.toFixed(1))}`,
  )
  // Other processes share the machine, but what is really slow is slow every time.
  for (const text of large) {
    const quickestMs = timesMs([text], 400)[0] ?? Number.NaN
    assert.ok(quickestMs <= 20, `${text.slice(0, 30)}: ${quickestMs} ms`)
  }
  // Four times the text; twice that leaves room for noise, and quadratic time would be sixteen.
  for (const [index, text] of large.entries()) {
    const [smallMs, largeMs] = [small[index] ?? '', text].map((one) => timesMs([one], 1000)[0] ?? 0)
    assert.ok((largeMs ?? 0) <= 8 * Math.max(smallMs ?? 0, 0.002), `${text.slice(0, 30)}: ${smallMs} to ${largeMs} ms`)
  }
})
