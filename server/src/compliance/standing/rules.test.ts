import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { digestOutcome } from '../results/digest-outcome.ts'
import {
  type CheckOutcome,
  type CheckRow,
  countedStatuses,
  judge,
  maximumRows,
  percentPassing,
  statusColumn,
} from './rules.ts'

const row = (status: string, columns: CheckRow = {}): CheckRow => ({ [statusColumn]: status, ...columns })
const rowsOf = (...rows: CheckRow[]): CheckOutcome => ({ kind: 'rows', rows })
const statuses = (...tokens: string[]) => rowsOf(...tokens.map((token) => row(token)))
const user = (name: string, status: string) => row(status, { user: name })

const singleRow: [string[], string, 'kept' | 'resolved' | 'failing'][] = [
  [['PASS'], 'passing', 'resolved'],
  [['FAIL'], 'failing', 'failing'],
  [['UNKNOWN'], 'unknown', 'kept'],
  [['ERROR'], 'errored', 'kept'],
  [['INAPPLICABLE'], 'inapplicable', 'resolved'],
  [['PASS', 'FAIL'], 'failing', 'failing'],
  [['ERROR', 'FAIL'], 'failing', 'failing'],
  [['UNKNOWN', 'ERROR'], 'errored', 'kept'],
  [['PASS', 'ERROR'], 'errored', 'kept'],
  [['PASS', 'UNKNOWN'], 'unknown', 'kept'],
  [['INAPPLICABLE', 'UNKNOWN'], 'unknown', 'kept'],
  [['INAPPLICABLE', 'PASS'], 'passing', 'resolved'],
  [['INAPPLICABLE', 'INAPPLICABLE'], 'inapplicable', 'resolved'],
  [['INAPPLICABLE', 'PASS', 'UNKNOWN', 'ERROR', 'FAIL'], 'failing', 'failing'],
]

for (const [tokens, status, issue] of singleRow) {
  test(`rows that say ${tokens.join(', ')} make the check ${status} and its issue ${issue}`, () => {
    for (const order of [tokens, tokens.toReversed()]) {
      const judgement = judge(statuses(...order), null)
      assert.equal(judgement.status, status)
      assert.equal(judgement.message, null)
      assert.deepEqual([...judgement.failures.keys()], issue === 'failing' ? [null] : [])
      assert.equal(judgement.resolves(null), issue === 'resolved')
    }
  })
}

const unreadable: [string, CheckOutcome, string | null, string][] = [
  ['no row', rowsOf(), null, 'The query returned no row'],
  ['no status column', rowsOf({ user: 'ada' }), null, 'A row lacks the column KOLIDE_CHECK_STATUS'],
  ['one row without the column', rowsOf(row('FAIL'), {}), null, 'A row lacks the column KOLIDE_CHECK_STATUS'],
  [
    'a word that is no status',
    statuses('FAIL', 'fail'),
    null,
    'KOLIDE_CHECK_STATUS is "fail", which is none of FAIL, PASS, UNKNOWN, INAPPLICABLE, ERROR',
  ],
  [
    'an endless word',
    statuses('x'.repeat(1_000)),
    null,
    `KOLIDE_CHECK_STATUS is "${'x'.repeat(40)}", which is none of FAIL, PASS, UNKNOWN, INAPPLICABLE, ERROR`,
  ],
  ['no primary key', rowsOf(user('ada', 'FAIL'), row('PASS')), 'user', 'A row lacks the primary key column "user"'],
  ['an error of SQL', { kind: 'error', message: 'no such table' }, 'user', 'no such table'],
]

for (const [what, outcome, key, message] of unreadable) {
  test(`a run with ${what} is errored and leaves issues as they are`, () => {
    const judgement = judge(outcome, key)
    assert.deepEqual([judgement.status, judgement.message], ['errored', message])
    assert.deepEqual([judgement.failures.size, judgement.resolves(null), judgement.resolves('ada')], [0, false, false])
  })
}

test('a run that the agent could not collect is unknown and leaves issues as they are', () => {
  const judgement = judge({ kind: 'not_collected', message: 'no such table on this platform' }, null)
  assert.deepEqual([judgement.status, judgement.message], ['unknown', 'no such table on this platform'])
  assert.deepEqual([judgement.failures.size, judgement.resolves(null)], [0, false])
})

const keyed: [string, CheckRow[], string, { failing: string[]; resolved: string[]; kept: string[] }][] = [
  [
    'every failing value',
    [user('ada', 'FAIL'), user('bob', 'FAIL'), user('eve', 'PASS')],
    'failing',
    { failing: ['ada', 'bob'], resolved: ['eve', 'gone'], kept: [] },
  ],
  ['no failing value', [user('ada', 'PASS')], 'passing', { failing: [], resolved: ['ada', 'gone'], kept: [] }],
  [
    'a value nobody could decide',
    [user('ada', 'FAIL'), user('bob', 'UNKNOWN'), user('eve', 'PASS')],
    'failing',
    { failing: ['ada'], resolved: ['eve'], kept: ['bob', 'gone'] },
  ],
  [
    'a value with an error',
    [user('bob', 'ERROR'), user('eve', 'INAPPLICABLE')],
    'errored',
    { failing: [], resolved: ['eve'], kept: ['bob', 'gone'] },
  ],
  [
    'one value that both passes and fails',
    [user('ada', 'PASS'), user('ada', 'FAIL')],
    'failing',
    { failing: ['ada'], resolved: ['gone'], kept: [] },
  ],
  [
    'one value that both passes and is unknown',
    [user('ada', 'PASS'), user('ada', 'UNKNOWN')],
    'unknown',
    { failing: [], resolved: [], kept: ['ada', 'gone'] },
  ],
  ['an empty value', [user('', 'FAIL')], 'failing', { failing: [''], resolved: ['gone'], kept: [] }],
]

for (const [what, rows, status, expected] of keyed) {
  test(`a check with a primary key and ${what}: ${JSON.stringify(expected)}`, () => {
    const judgement = judge(rowsOf(...rows), 'user')
    assert.equal(judgement.status, status)
    assert.deepEqual([...judgement.failures.keys()], expected.failing)
    for (const value of expected.resolved) assert.equal(judgement.resolves(value), true, value)
    for (const value of [...expected.kept, ...expected.failing]) assert.equal(judgement.resolves(value), false, value)
  })
}

test('of more rows than are kept, the failing ones stay, and no missing value counts as mended', () => {
  const passing = Array.from({ length: maximumRows }, (_, index) => user(`u${index}`, 'PASS'))
  const judgement = judge(rowsOf(...passing, user('ada', 'FAIL')), 'user')
  assert.equal(judgement.status, 'failing')
  assert.equal(judgement.rows.length, maximumRows)
  assert.deepEqual([...judgement.failures.keys()], ['ada'])
  assert.equal(judgement.resolves('u0'), true)
  assert.equal(judgement.resolves('gone'), false)
})

test('of more failures than are kept, the first are issues and the others stay open where they are', () => {
  const failing = Array.from({ length: maximumRows + 1 }, (_, index) => user(`u${index}`, 'FAIL'))
  const judgement = judge(rowsOf(...failing), 'user')
  assert.equal(judgement.failures.size, maximumRows)
  assert.equal(judgement.resolves(`u${maximumRows}`), false)
})

test('exactly as many rows as are kept make a whole run', () => {
  const rows = Array.from({ length: maximumRows }, (_, index) => user(`u${index}`, 'PASS'))
  assert.equal(judge(rowsOf(...rows), 'user').resolves('gone'), true)
})

test('a word that is no status is found beyond the rows that are kept', () => {
  const rows = Array.from({ length: maximumRows }, () => row('PASS'))
  assert.equal(judge(rowsOf(...rows, row('?')), null).status, 'errored')
})

test('characters that the database cannot hold are replaced', () => {
  const judgement = judge(rowsOf(user('a\u0000da\ud800', 'FAIL')), 'user')
  assert.deepEqual(judgement.rows, [user('a\ufffdda\ufffd', 'FAIL')])
  assert.deepEqual([...judgement.failures.keys()], ['a\ufffdda\ufffd'])
  assert.equal(judge({ kind: 'error', message: 'bad \u0000' }, null).message, 'bad \ufffd')
})

const someRows = fc.array(
  fc.record({
    [statusColumn]: fc.constantFrom('PASS', 'FAIL', 'UNKNOWN', 'INAPPLICABLE', 'ERROR'),
    user: fc.constantFrom('ada', 'bob', 'eve'),
  }),
  { minLength: 1, maxLength: 8 },
)

test('the order of rows decides nothing', () => {
  fc.assert(
    fc.property(
      someRows.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
      fc.constantFrom('user', null),
      ([rows, shuffled], key) => {
        const [one, other] = [judge(rowsOf(...rows), key), judge(rowsOf(...shuffled), key)]
        assert.equal(one.status, other.status)
        assert.deepEqual(new Set(one.failures.keys()), new Set(other.failures.keys()))
        for (const value of ['ada', 'bob', 'eve', 'gone', null]) {
          assert.equal(one.resolves(value), other.resolves(value))
          assert.ok(!(one.resolves(value) && one.failures.has(value)), 'a failing value never resolves')
        }
        assert.deepEqual(digestOutcome(rowsOf(...rows)), digestOutcome(rowsOf(...shuffled)))
      },
    ),
  )
})

test('outcomes that say different things have different digests', () => {
  const outcomes: CheckOutcome[] = [
    rowsOf(),
    statuses('PASS'),
    statuses('PASS', 'PASS'),
    rowsOf({ [statusColumn]: 'PASS', a: 'b' }),
    rowsOf({ [statusColumn]: 'PASS', 'a"': 'b' }),
    { kind: 'error', message: '' },
    { kind: 'error', message: 'x' },
    { kind: 'not_collected', message: 'x' },
  ]
  assert.equal(new Set(outcomes.map(digestOutcome)).size, outcomes.length)
  assert.deepEqual(digestOutcome(rowsOf({ a: '1', b: '2' })), digestOutcome(rowsOf({ b: '2', a: '1' })))
})

test('the percentage is truncated and 0 where nobody counts', () => {
  const cases: [number, number, number][] = [
    [0, 0, 0],
    [0, 3, 0],
    [1, 3, 33],
    [2, 3, 66],
    [199, 200, 99],
    [69_999, 70_000, 99],
    [29, 100, 29],
    [57, 100, 57],
    [3, 3, 100],
  ]
  for (const [passing, counted, expected] of cases) assert.equal(percentPassing(passing, counted), expected)
})

test('a percentage is a hundred only when every counted device passes', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), (passing, others) => {
      const percent = percentPassing(passing, passing + others)
      assert.equal(percent === 100, passing > 0 && others === 0)
      assert.ok(percent * (passing + others) <= passing * 100)
      assert.ok(passing === 0 || (percent + 1) * (passing + others) > passing * 100)
    }),
  )
})

test('every status counts but inapplicable and out_of_scope', () => {
  const all = ['pending', 'passing', 'failing', 'unknown', 'errored', 'inapplicable', 'stale', 'out_of_scope']
  assert.deepEqual(
    all.filter((status) => !countedStatuses.some((counted) => counted === status)),
    ['inapplicable', 'out_of_scope'],
  )
})

test('what an agent sends is kept within bounds, failing rows first, and then nothing counts as mended by absence', () => {
  const long = judge({ kind: 'rows', rows: [{ [statusColumn]: 'FAIL', path: 'a'.repeat(1_000_000) }] }, null)
  assert.deepEqual([long.status, long.rows.length, long.rows[0]?.['path']?.length], ['failing', 1, 4_096])
  const wide = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`column${index}`, 'b'.repeat(4_000)]))
  assert.equal(judge({ kind: 'rows', rows: [{ ...wide, [statusColumn]: 'PASS' }] }, null).rows.length, 1)
  const rows = Array.from({ length: 400 }, (_, index) => ({
    [statusColumn]: index === 399 ? 'FAIL' : 'PASS',
    path: `${index} ${'c'.repeat(2_000)}`,
  }))
  const many = judge({ kind: 'rows', rows }, 'path')
  assert.ok(many.rows.length < 100 && JSON.stringify(many.rows).length < 220_000)
  assert.deepEqual([many.status, many.failures.size, many.resolves('gone')], ['failing', 1, false])
})

test('rows that say UNKNOWN tell why, and which osquery would know; others keep no empty reason', () => {
  const of = (...rows: Record<string, string>[]) => judge({ kind: 'rows', rows }, null)
  const unknown = { KOLIDE_CHECK_STATUS: 'UNKNOWN' }
  const told = (judgement: ReturnType<typeof judge>) => [judgement.status, judgement.message, judgement.needsOsquery]
  assert.deepEqual(told(of({ ...unknown, unknown_reason: 'Nobody is signed in.', needs_osquery: '' })), [
    ...['unknown', 'Nobody is signed in.', null],
  ])
  assert.deepEqual(told(of({ ...unknown, needs_osquery: '5.23.0' })), [
    ...['unknown', 'Needs osquery 5.23.0 or newer', '5.23.0'],
  ])
  assert.deepEqual(told(of(unknown, { ...unknown, needs_osquery: "5'; drop" })), ['unknown', null, null])
  const fails = of({ KOLIDE_CHECK_STATUS: 'FAIL' }, { ...unknown, unknown_reason: 'No answer.' })
  assert.deepEqual(told(fails), ['failing', null, null], 'what decides is the failure')
  const passes = of({ KOLIDE_CHECK_STATUS: 'PASS', unknown_reason: '', needs_osquery: '', other: '' })
  assert.deepEqual(passes.rows, [{ KOLIDE_CHECK_STATUS: 'PASS', other: '' }])
})

test('an issue is known to be unknown by its own row alone', () => {
  const rows = [
    { drive: 'C:', KOLIDE_CHECK_STATUS: 'UNKNOWN' },
    { drive: 'D:', KOLIDE_CHECK_STATUS: 'ERROR' },
    { drive: 'E:', KOLIDE_CHECK_STATUS: 'FAIL' },
  ]
  const { isUnknown } = judge({ kind: 'rows', rows }, 'drive')
  assert.deepEqual(['C:', 'D:', 'E:', 'F:'].map(isUnknown), [true, false, false, false])
  assert.equal(judge({ kind: 'error', message: 'no such table' }, null).isUnknown(null), false)
})
