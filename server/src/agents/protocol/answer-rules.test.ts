import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveRowsOf, readAnswers } from './answer-rules.ts'

const answersOf = (body: unknown) =>
  readAnswers(body)
    .map(({ name, outcome }) => ({ name, outcome: outcome() }))
    .toArray()

test('rows, errors and messages are read by name', () => {
  const body = {
    queries: { a: [{ path: '/x', KOLIDE_CHECK_STATUS: 'FAIL' }], b: [] },
    statuses: { a: 0, b: 1 },
    messages: { a: '', b: 'no such table: gsettings' },
  }
  assert.deepEqual(answersOf(body), [
    { name: 'a', outcome: { kind: 'rows', rows: [{ path: '/x', KOLIDE_CHECK_STATUS: 'FAIL' }] } },
    { name: 'b', outcome: { kind: 'error', message: 'no such table: gsettings' } },
  ])
})

test('old agents send texts for statuses, an empty text for no rows, and nothing else', () => {
  const body = { queries: { a: '', b: [{ x: '1' }], c: '' }, statuses: { a: '0', c: '1' } }
  assert.deepEqual(answersOf(body), [
    { name: 'a', outcome: { kind: 'rows', rows: [] } },
    { name: 'b', outcome: { kind: 'rows', rows: [{ x: '1' }] } },
    { name: 'c', outcome: { kind: 'error', message: 'The query failed with status 1' } },
  ])
})

test('a query that is named by its status only is read', () => {
  assert.deepEqual(answersOf({ statuses: { a: 1 }, messages: { a: 'distributed query is denylisted' } }), [
    { name: 'a', outcome: { kind: 'error', message: 'distributed query is denylisted' } },
  ])
})

test('only the exact form of the bundled agent means that a table is not collected', () => {
  const answers = answersOf({
    statuses: { a: 1, b: 1, c: 0 },
    messages: { a: 'not collected: gsettings (no desktop)', b: 'it was not collected: x', c: 'not collected: x' },
  })
  assert.deepEqual(
    answers.map(({ outcome }) => outcome.kind),
    ['not_collected', 'error', 'rows'],
  )
})

test('values of every kind become texts that a database can hold', () => {
  const row = { number: 7, flag: true, none: null, nested: { a: 1 }, text: 'a\0b\ud800c', 'na\0me': 'x' }
  const [answer] = answersOf({ queries: { a: [row, 'no row'] } })
  assert.deepEqual(answer?.outcome, {
    kind: 'rows',
    rows: [{ number: '7', flag: 'true', none: '', nested: '{"a":1}', text: 'a\ufffdb\ufffdc', 'na\ufffdme': 'x' }],
  })
})

test('a row of texts is bounded and cleaned where one thing only is wrong with it', () => {
  const many = Array.from({ length: 201 }, (_, index): [string, string] => [`c${index}`, ''])
  const cases: [row: Record<string, string>, kept: Record<string, string>][] = [
    [{ a: 'x\0y' }, { a: 'x\ufffdy' }],
    [{ a: 'x\ud800' }, { a: 'x\ufffd' }],
    [{ 'a\0': 'x' }, { 'a\ufffd': 'x' }],
    [{ 'a\ud800': 'x' }, { 'a\ufffd': 'x' }],
    [{ a: 'x'.repeat(4_097) }, { a: 'x'.repeat(4_096) }],
    [{ ['a'.repeat(257)]: 'x' }, { ['a'.repeat(256)]: 'x' }],
    [Object.fromEntries(many), Object.fromEntries(many.slice(0, 200))],
    [
      { a: 'x', b: '' },
      { a: 'x', b: '' },
    ],
  ]
  for (const [row, kept] of cases) {
    const [answer] = answersOf({ queries: { q: [row] } })
    assert.deepEqual(answer?.outcome, { kind: 'rows', rows: [kept] })
  }
})

test('what has no column is no row, and is not counted as one', () => {
  const body = { queries: { a: [{}, 'text', null, 7, [], { x: '' }] } }
  assert.deepEqual(answersOf(body), [{ name: 'a', outcome: { kind: 'rows', rows: [{ x: '' }] } }])
  const { rowCount, rows } = liveRowsOf(body, 'a')
  assert.deepEqual([rowCount, [...rows]], [1, [{ row: { x: '' }, isCut: false }]])
})

test('rows, columns and values are bounded', () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`c${index}`, 'x'.repeat(10_000)]))
  const [answer] = answersOf({ queries: { a: Array.from({ length: 1_500 }, () => wide) } })
  assert.ok(answer?.outcome.kind === 'rows')
  assert.equal(answer.outcome.rows.length, 1, 'the first, however long')
  assert.equal(Object.keys(answer.outcome.rows[0] ?? {}).length, 200)
  assert.equal(answer.outcome.rows[0]?.['c0']?.length, 4_096)
  const rowsFor = (columns: number, text: string) => {
    const row = Object.fromEntries(Array.from({ length: columns }, (_, index) => [`c${index}`, text]))
    const [{ outcome } = assert.fail()] = answersOf({ queries: { a: Array.from({ length: 1_500 }, () => row) } })
    return outcome.kind === 'rows' ? outcome.rows.length : assert.fail()
  }
  assert.deepEqual([rowsFor(200, ''), rowsFor(1, 'x'.repeat(998)), rowsFor(1, 'x')], [250, 500, 1_000])
})

test('names from the prototype chain are names like any other', () => {
  const body = JSON.parse('{"queries":{"__proto__":[{"__proto__":"x"}],"constructor":[]},"statuses":{"toString":1}}')
  assert.deepEqual(
    answersOf(body).map(({ name, outcome }) => [name, outcome.kind]),
    [
      ['__proto__', 'rows'],
      ['constructor', 'rows'],
      ['toString', 'error'],
    ],
  )
})

test('any body is read without a fault', () => {
  for (const body of [undefined, null, [], 'x', {}, { queries: [] }, { queries: 'x', statuses: 7 }]) {
    assert.deepEqual(answersOf(body), [])
  }
})
