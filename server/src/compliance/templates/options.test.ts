import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OptionDefinitions, parseOptions } from './options.ts'

const described = { title: 'Title', description: 'What it does.' }
const definitions: OptionDefinitions = {
  max_days: { ...described, kind: 'integer', min: 1, max: 365, default: 30 },
  label: { ...described, kind: 'text', maxLength: 5, default: 'blue' },
  minimum_version: { ...described, kind: 'version', default: '1.2' },
  names: { ...described, kind: 'text_list', maxLength: 5, minItems: 1, maxItems: 2, default: ['a'] },
  ports: { ...described, kind: 'integer_list', min: 1, max: 9, minItems: 0, maxItems: 2, default: [] },
  floors: {
    ...described,
    kind: 'record_list',
    minItems: 1,
    maxItems: 3,
    fields: {
      major: { kind: 'integer', title: 'Major', min: 1, max: 99 },
      version: { kind: 'version', title: 'Version' },
    },
    default: [{ major: 14, version: '14.8.0' }],
  },
}
const defaults = {
  max_days: 30,
  label: 'blue',
  minimum_version: '1.2',
  names: ['a'],
  ports: [],
  floors: [{ major: 14, version: '14.8.0' }],
}

test('an absent option takes its default', () => {
  assert.deepEqual(parseOptions(definitions, {}), { ok: defaults })
})

test('a fitting value of every kind is taken', () => {
  const values = {
    max_days: 365,
    label: 'red',
    minimum_version: '26.0',
    names: ['b', 'c'],
    ports: [1, 9],
    floors: [{ major: 26, version: '26.1' }],
  }
  assert.deepEqual(parseOptions(definitions, values), { ok: values })
})

test('a change to parsed options leaves the definitions alone', () => {
  const parsed = parseOptions(definitions, {})
  assert.ok('ok' in parsed && Array.isArray(parsed.ok['names']))
  parsed.ok['names'].push('changed' as never)
  assert.deepEqual(parseOptions(definitions, {}), { ok: defaults })
})

test('all faulty options are told at once, unknown names included', () => {
  assert.deepEqual(parseOptions(definitions, { max_days: 0, other: 1, label: '' }), {
    errors: [
      { field: 'options/other', message: 'is not an option of this check' },
      { field: 'options/max_days', message: 'must be a whole number from 1 to 365' },
      { field: 'options/label', message: 'must be a text that is not empty' },
    ],
  })
})

const refused: [string, unknown, string][] = [
  ['max_days', '30', 'options/max_days'],
  ['max_days', 1.5, 'options/max_days'],
  ['max_days', 366, 'options/max_days'],
  ['max_days', null, 'options/max_days'],
  ['label', 'too long', 'options/label'],
  ['label', 'a\nb', 'options/label'],
  ['label', 'a\0b', 'options/label'],
  ['label', '\ud800', 'options/label'],
  ['minimum_version', '1.2; drop', 'options/minimum_version'],
  ['minimum_version', '1.', 'options/minimum_version'],
  ['minimum_version', 1.2, 'options/minimum_version'],
  ['names', 'a', 'options/names'],
  ['names', [], 'options/names'],
  ['names', ['a', 'b', 'c'], 'options/names'],
  ['names', ['a', 1], 'options/names/1'],
  ['ports', [1, 10], 'options/ports/1'],
  ['ports', [[1]], 'options/ports/0'],
  ['floors', [{ major: 26 }], 'options/floors/0/version'],
  ['floors', [{ major: '26', version: '26.0' }], 'options/floors/0/major'],
  ['floors', [{ major: 26, version: '26.0', note: 'x' }], 'options/floors/0/note'],
  ['floors', ['(26, 26)'], 'options/floors/0'],
]
for (const [name, value, field] of refused) {
  test(`${name} is refused as ${JSON.stringify(value)}, at ${field}`, () => {
    const parsed = parseOptions(definitions, { [name]: value })
    assert.ok('errors' in parsed)
    assert.deepEqual(
      parsed.errors.map((error) => error.field),
      [field],
    )
  })
}

for (const value of [null, [], 'max_days', 3, undefined]) {
  test(`options that are ${JSON.stringify(value)} are refused`, () => {
    assert.deepEqual(parseOptions(definitions, value), { errors: [{ field: 'options', message: 'must be an object' }] })
  })
}

test('names of the object prototype are unknown options', () => {
  const parsed = parseOptions(definitions, JSON.parse('{"__proto__": {}, "constructor": 1}'))
  assert.ok('errors' in parsed)
  assert.deepEqual(
    parsed.errors.map(({ field }) => field),
    ['options/__proto__', 'options/constructor'],
  )
})
