import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rebaseInput } from './rebase-input.ts'

const base = { name: 'North', url: 'https://a.example', events: ['one'] }

const cases: [what: string, typed: Partial<typeof base>, now: Partial<typeof base>, expected: unknown][] = [
  ['nothing but the record', {}, { name: 'South' }, { input: { name: 'South' }, others: ['name'] }],
  [
    'what was typed elsewhere',
    { url: 'x' },
    { name: 'South' },
    { input: { url: 'x', name: 'South' }, others: ['name'] },
  ],
  ['what both changed', { name: 'Mine' }, { name: 'Theirs' }, { input: { name: 'Mine' }, others: ['name!'] }],
  ['what both changed alike', { name: 'Same' }, { name: 'Same' }, { input: { name: 'Same' }, others: [] }],
  ['lists by what is in them', { events: ['two'] }, { events: ['one'] }, { input: { events: ['two'] }, others: [] }],
]

for (const [what, typed, now, expected] of cases) {
  test(`a form on a record that has become another holds ${what}`, () => {
    const { input, others } = rebaseInput({ ...base, ...typed }, base, { ...base, ...now })
    const told = others.map(({ field, isContested }) => `${field}${isContested ? '!' : ''}`)
    const { input: wanted, others: named } = expected as { input: object; others: string[] }
    assert.deepEqual([input, told], [{ ...base, ...wanted }, named])
  })
}
