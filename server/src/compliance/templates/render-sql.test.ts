import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import type { OptionDefinitions, OptionValues } from './options.ts'
import { renderSql } from './render-sql.ts'
import { TemplateError } from './template-error.ts'

const described = { title: 'Title', description: 'What it does.' }
const definitions: OptionDefinitions = {
  text: { ...described, kind: 'text', maxLength: 20_000, default: 'blue' },
  count: { ...described, kind: 'integer', min: -(2 ** 53) + 1, max: 2 ** 53 - 1, default: 3 },
  texts: { ...described, kind: 'text_list', maxLength: 1_000, minItems: 0, maxItems: 100, default: [] },
  rows: {
    ...described,
    kind: 'record_list',
    fields: {
      name: { kind: 'text', title: 'Name', maxLength: 1_000 },
      size: { kind: 'integer', title: 'Size', min: -9, max: 9 },
    },
    minItems: 0,
    maxItems: 10,
    default: [],
  },
}

const database = new DatabaseSync(':memory:')

function answer(template: string, values: OptionValues): Record<string, unknown>[] {
  return database.prepare(renderSql(template, definitions, values)).all()
}

function refusal(template: string, values: OptionValues = {}): string {
  try {
    renderSql(template, definitions, values)
  } catch (error) {
    assert.ok(error instanceof TemplateError)
    return error.message
  }
  return assert.fail('the template was rendered')
}

const anyText = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
    fc.string({
      unit: fc.constantFrom("'", '"', '`', '\\', '-', '/', '*', ';', '{', '}', '%', '[', ']', ' ', 'x', '1'),
      minLength: 1,
    }),
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: options refuse control characters
  .filter((text) => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text))

test('SQLite reads a thousand arbitrary texts, numbers, lists and rows back as they were', () => {
  const template = `select {{ options.text | sql_text }} as value, 0 -{{ options.count | sql_integer }} as negated,
    {{ options.text | sql_text }} in ({{ options.texts | sql_list }}) as listed,
    (select json_group_array(json_array(column1, column2)) from (values {{ options.rows | sql_rows: "name", "size" }})) as rows`
  const rows = fc.array(fc.record({ name: anyText, size: fc.integer({ min: -9, max: 9 }) }), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(
      anyText,
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
      fc.array(anyText, { maxLength: 5 }),
      rows,
      (text, count, texts, records) => {
        const [row] = answer(template, { text, count, texts, rows: records })
        assert.equal(row?.['value'], text)
        assert.equal(row?.['negated'], 0 - count)
        assert.equal(row?.['listed'], texts.includes(text) ? 1 : 0)
        assert.deepEqual(
          JSON.parse(String(row?.['rows'])),
          records.map(({ name, size }) => [name, size]),
        )
      },
    ),
    { numRuns: 1_000 },
  )
})

const attacks = [
  "'; drop table t; --",
  "' or '1'='1",
  "''",
  "\\'",
  '/* */ --',
  '{{ options.text }}',
  '{% raw %}',
  "x'00'",
  '?1',
  'ß€😀',
  'a'.repeat(20_000),
]
for (const text of attacks) {
  test(`the text ${JSON.stringify(text.slice(0, 30))} stays a text`, () => {
    assert.deepEqual({ ...answer('select {{ options.text | sql_text }} as value', { text })[0] }, { value: text })
  })
}

test('a text with NUL or a line end never reaches the SQL', () => {
  for (const text of ['a\0b', 'a\nb', '\u0001', '\ud800']) {
    assert.equal(
      refusal('select {{ options.text | sql_text }}', { text }),
      'Line 1: options/text must not contain control characters',
    )
  }
})

const unfiltered = [
  '{{ options.text }}',
  '{{ options.text | sql_text | append: "x" }}',
  '{{ "1; drop table t" }}',
  '{{ options.rows }}',
  '{{ 1 }}',
  '{% if true %}{{ options.count }}{% endif %}',
]
for (const output of unfiltered) {
  test(`${output} is refused, for no SQL filter made it`, () => {
    assert.match(refusal(`select\n${output}`), /^Line 2: (a value needs one of the filters|undefined filter)/)
  })
}

const wrongTypes = [
  '{{ options.text | sql_integer }}',
  '{{ options.count | sql_text }}',
  '{{ options.count | sql_list }}',
  '{{ options.rows | sql_list }}',
  '{{ options.text | sql_rows }}',
  '{{ options.text | sql_text | sql_text }}',
]
for (const output of wrongTypes) {
  test(`${output} is refused, for the filter takes another type`, () => {
    assert.match(
      refusal(`select\n\n${output}`, { rows: [{ name: 'a', size: 1 }] }),
      /^Line 3: a (text|whole number|list) is needed$/,
    )
  })
}

const misplaced = [
  "'{{ options.text | sql_text }}'",
  '"{{ options.text | sql_text }}"',
  '`{{ options.text | sql_text }}`',
  '[{{ options.text | sql_text }}]',
  '-- {{ options.text | sql_text }}',
  '/* {{ options.text | sql_text }} */',
  "'it''s {{ options.text | sql_text }}",
]
for (const output of misplaced) {
  test(`a value is refused within ${output}`, () => {
    assert.equal(refusal(`select 1,\n${output}`), 'Line 2: a value stands inside quotes or a comment')
  })
}

const touching = [
  'x{{ options.text | sql_text }}',
  '1{{ options.count | sql_integer }}',
  '{{ options.count | sql_integer }}{{ options.count | sql_integer }}',
  '?{{ options.count | sql_integer }}',
  "{{ options.text | sql_text }}'a'",
  '{{ options.count | sql_integer }}e5',
]
for (const output of touching) {
  test(`a value is refused that touches its neighbour in ${output}`, () => {
    assert.equal(refusal(`\nselect ${output}`), 'Line 2: a value touches the text beside it')
  })
}

test('a condition chooses SQL, and line numbers stay those of the template', () => {
  const template = `select 1{% if options.count > 5 %},\n2{% else %},\n3{% endif %} as chosen`
  assert.equal(renderSql(template, definitions, { count: 9 }), 'select 1,\n2 as chosen')
  assert.equal(renderSql(template, definitions, { count: 1 }), 'select 1,\n3 as chosen')
  assert.match(refusal(`{% if options.count > 5 %}\n\n{% endif %}\n'{{ options.text | sql_text }}'`), /^Line 4: /)
})

test('undefined options and filters are told with their line', () => {
  assert.equal(refusal('select\n{{ options.missing | sql_text }}'), 'Line 2: undefined variable: options.missing')
  assert.equal(refusal('select\n{{ options.text | upcase }}'), 'Line 2: undefined filter: upcase')
  assert.equal(
    refusal('select {{ options.constructor | sql_text }}'),
    'Line 1: undefined variable: options.constructor',
  )
})

const removedTags = [
  '{% include "/etc/passwd" %}',
  '{% render "x" %}',
  '{% layout "x" %}',
  '{% echo options.text %}',
  '{% capture a %}{% endcapture %}',
  '{% increment a %}',
  '{% cycle "a", "b" %}',
  '{% for a in (1..9) %}{% endfor %}',
  '{% raw %}{% endraw %}',
  '{% liquid\necho 1 %}',
]
for (const tag of removedTags) {
  test(`the tag ${JSON.stringify(tag)} does not exist`, () => {
    assert.match(refusal(`select\n${tag}`), /^Line 2: tag "\w+" not found/)
  })
}

test('values are checked against their definitions before they are written', () => {
  assert.equal(
    refusal('select 1', { count: '1; drop table t' }),
    `Line 1: options/count must be a whole number from ${-(2 ** 53) + 1} to ${2 ** 53 - 1}`,
  )
  assert.equal(refusal('select 1', { other: 1 }), 'Line 1: options/other is not an option of this check')
})

test('VALUES is never left without a row', () => {
  assert.equal(refusal('values {{ options.rows | sql_rows: "name" }}'), 'Line 1: sql_rows needs at least one row')
})

test('a column that a record lacks is refused', () => {
  const values = { rows: [{ name: 'a', size: 1 }] }
  assert.equal(
    refusal('values {{ options.rows | sql_rows: "toString" }}', values),
    'Line 1: sql_rows finds no column toString',
  )
})

test('templates and results have a largest size', () => {
  assert.match(refusal(`select 1 ${' '.repeat(64_000)}`), /^Line 1: the template exceeds 64000 characters/)
  assert.match(
    refusal('select {{ (1..100000000) | sql_list }}'),
    /^Line 1: the template makes lists or texts that are too large/,
  )
  const twenty = Array.from({ length: 20 }, () => '{{ options.text | sql_text }}').join(',\n')
  assert.equal(refusal(`select ${twenty}`, { text: 'a'.repeat(20_000) }), 'Line 1: the SQL exceeds 256000 characters')
})

test('a control character in a template is refused', () => {
  assert.equal(refusal('select 1,\n\u0001'), 'Line 2: a control character is not allowed')
})

test('a template that is not closed is refused with its line', () => {
  assert.match(refusal('select\n{% if options.count > 1 %}\nx'), /^Line 2: tag .* not closed/)
  assert.match(refusal('select\n{{ options.text'), /^Line 2: output .* not closed/)
})
