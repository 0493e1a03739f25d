import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rebaseWishes } from './rebase-wishes.ts'

const base = { name: 'North', url: 'https://a.example', events: ['one'] }

const cases: [what: string, typed: Partial<typeof base>, now: Partial<typeof base>, expected: unknown][] = [
  ['nothing but the record', {}, { name: 'South' }, { wishes: { name: 'South' }, others: ['name'] }],
  [
    'what was typed elsewhere',
    { url: 'x' },
    { name: 'South' },
    { wishes: { url: 'x', name: 'South' }, others: ['name'] },
  ],
  ['what both changed', { name: 'Mine' }, { name: 'Theirs' }, { wishes: { name: 'Mine' }, others: ['name!'] }],
  ['what both changed alike', { name: 'Same' }, { name: 'Same' }, { wishes: { name: 'Same' }, others: [] }],
  ['lists by what is in them', { events: ['two'] }, { events: ['one'] }, { wishes: { events: ['two'] }, others: [] }],
]

for (const [what, typed, now, expected] of cases) {
  test(`a form on a record that has become another holds ${what}`, () => {
    const { wishes, others } = rebaseWishes({ ...base, ...typed }, base, { ...base, ...now })
    const told = others.map(({ field, isContested }) => `${field}${isContested ? '!' : ''}`)
    const { wishes: wanted, others: named } = expected as { wishes: object; others: string[] }
    assert.deepEqual([wishes, told], [{ ...base, ...wanted }, named])
  })
}
