import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { renderText } from './render-text.ts'
import { TemplateError } from './template-error.ts'

const noRows = { options: {}, rows: [] }

test('options and failing rows are written into the Markdown', () => {
  const template = 'Within {{ options.max_days }} days:\n{% for row in rows %}\n- {{ row.path | code }}{% endfor %}'
  const scope = { options: { max_days: 30 }, rows: [{ path: '/home/ana/.ssh/id_rsa' }, { path: 'C:\\keys\\a b' }] }
  assert.equal(renderText(template, scope), 'Within 30 days:\n\n- `/home/ana/.ssh/id_rsa`\n- `C:\\keys\\a b`')
})

test('a value that a device reports adds no link, image, HTML, heading or line', () => {
  const rows = [{ name: '[click](javascript:x) ![i](http://e) <b>\n# top\r\n1. one' }]
  assert.equal(
    renderText('{{ rows[0].name }}', { options: {}, rows }),
    '\\[click\\]\\(javascript\\:x\\) \\!\\[i\\]\\(http\\://e\\) \\<b\\> \\# top 1\\. one',
  )
})

const spans: [string, string][] = [
  ['plain', '`plain`'],
  ['a`b', '``a`b``'],
  ['``', '``` `` ```'],
  [' spaced ', '`  spaced  `'],
  ['two\nlines', '`two lines`'],
  ['', ''],
  ['  ', ''],
]
for (const [value, span] of spans) {
  test(`${JSON.stringify(value)} as a code span is ${JSON.stringify(span)}`, () => {
    assert.equal(renderText('{{ rows[0].value | code }}', { options: {}, rows: [{ value }] }), span)
  })
}

test('a code span that is stored or filtered again is plain text', () => {
  const rows = [{ value: 'a' }]
  assert.equal(renderText('{% assign b = rows[0].value | code %}{{ b }}', { options: {}, rows }), '\\`a\\`')
  assert.equal(renderText('{{ rows[0].value | code | upcase }}', { options: {}, rows }), '\\`A\\`')
})

test('a very long value is shortened', () => {
  assert.equal(renderText('{{ rows[0].a }}', { options: {}, rows: [{ a: 'x'.repeat(9_999) }] }), `${'x'.repeat(500)}…`)
})

test('lists join with commas and records have no text', () => {
  const options = { units: ['auditd', 'falcon'], rows: [{ a: 1 }] }
  assert.equal(renderText('{{ options.units }}|{{ options.rows }}', { options, rows: [] }), 'auditd, falcon|')
})

test('faults tell their line', () => {
  const faults: [string, RegExp][] = [
    ['one\n{{ options.missing }}', /^Line 2: undefined variable: options.missing$/],
    ['one\n\n{{ options | raw }}', /^Line 3: undefined filter: raw$/],
    ['{% include "/etc/passwd" %}', /^Line 1: tag "include" not found$/],
    ['{% for row in rows %}', /^Line 1: tag .* not closed$/],
    ['{% for a in (1..999999999) %}{% endfor %}', /^Line 1: the template makes lists or texts that are too large$/],
  ]
  for (const [template, message] of faults) {
    assert.throws(
      () => renderText(template, noRows),
      (error) => error instanceof TemplateError && message.test(error.message),
    )
  }
})

test('any value stays on its line with every Markdown mark escaped, and a code span holds it whole', () => {
  const anyValue = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.string({ unit: fc.constantFrom('`', '*', '[', ']', '(', '<', '\\', '\n', ' ', 'a') }),
  )
  fc.assert(
    fc.property(anyValue, (value) => {
      const scope = { options: {}, rows: [{ value }] }
      const plain = renderText('{{ rows[0].value }}', scope)
      assert.doesNotMatch(plain.replace(/\\[^a-z]/g, ''), /[\r\n\\`*_[\]<>#!|~&]/)
      const span = renderText('{{ rows[0].value | code }}', scope)
      const fence = /^`*/.exec(span)?.[0] ?? ''
      assert.ok(span.endsWith(fence) && !span.includes('\n'))
      const inside = span.slice(fence.length, span.length - fence.length)
      assert.ok(fence === '' || ![...inside.matchAll(/`+/g)].some(([run]) => run === fence))
    }),
    { numRuns: 500 },
  )
})
