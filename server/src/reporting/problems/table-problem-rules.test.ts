import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isStorable } from '../../base/storable.ts'
import { judgeProblem, maxMessageLength, readStatusLine } from './table-problem-rules.ts'

const name = 'report/device_users/0123456789ab'

test('what an agent answers says why a table does not come', () => {
  const cases = [
    ['distributed query is denylisted', 'denied'],
    [`Scheduled query may have failed: ${name}`, 'denied'],
    [`The caller does not want denied queries, skipping denied scheduled query: ${name}`, 'denied'],
    ['no such table: secureboot', 'missing'],
    ['Error: no such column: codename', 'missing'],
    ['not collected: device_battery', 'missing'],
    ['disk I/O error', 'failed'],
  ] as const
  for (const [message, type] of cases) assert.deepEqual(judgeProblem(message), { type, message })
  assert.deepEqual(judgeProblem(' \n'), { type: 'failed', message: 'The agent gave no reason.' })
})

test('the status lines of scheduled queries are read, with the name and the reason', () => {
  const read = (message: string) => {
    const line = readStatusLine({ severity: '1', filename: 'scheduler.cpp', line: '97', message })
    return line && { name: line.name, ...judgeProblem(line.message) }
  }
  assert.deepEqual(read(`Error executing scheduled query ${name}: no such table: users\n at once: so`), {
    ...{ name, type: 'missing', message: 'no such table: users\n at once: so' },
  })
  assert.deepEqual(read(`Error executing scheduled query ${name}:`), {
    ...{ name, type: 'failed', message: 'The agent gave no reason.' },
  })
  assert.deepEqual(read(`Scheduled query may have failed: ${name}`), {
    ...{ name, type: 'denied' },
    message: 'The agent ended while it ran this query, and does not run it for a day.',
  })
  assert.deepEqual(read(`The caller does not want denied queries, skipping denied scheduled query: ${name}`), {
    name,
    type: 'denied',
    message: 'The agent does not run this query for a day, since it ended while it ran it.',
  })
})

test('any other line says nothing of a query', () => {
  const others = [
    undefined,
    null,
    'Scheduled query may have failed: a',
    [],
    {},
    { message: 7 },
    { message: { toString: 'x' } },
    { message: 'Scheduled query may have failed: two words' },
    { message: `Scheduled query may have failed: ${'x'.repeat(201)}` },
    { message: 'Executing scheduled query a: select 1' },
    { message: 'Error executing scheduled query : no such table' },
  ]
  for (const line of others) assert.equal(readStatusLine(line), undefined, JSON.stringify(line))
})

test('whatever a device sends is judged, within bounds and as the database can hold it', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc.string({ unit: fc.constantFrom('\0', '\ud800', ':', ' ', '\n', 'denylisted'), maxLength: 2_000 }),
  )
  fc.assert(
    fc.property(texts, fc.anything(), (text, line) => {
      readStatusLine(line)
      const read = readStatusLine({ message: `Error executing scheduled query a: ${text}` })
      const { message } = judgeProblem(read?.message ?? text)
      assert.ok(message.length > 0 && message.length <= maxMessageLength && isStorable(message))
    }),
  )
})
