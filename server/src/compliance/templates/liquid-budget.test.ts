import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderSql } from './render-sql.ts'
import { renderText } from './render-text.ts'
import { TemplateError } from './template-error.ts'

const rows = Array.from({ length: 100 }, (_, index) => ({ id: `key-${index}`, path: `/home/ada/.ssh/${index}` }))
const scope = { options: {}, rows }
const each = (body: string) => `{% for i in (1..5000) %}${body}{% endfor %}`
const many = (text: string, count: number, separator: string) => Array(count).fill(text).join(separator)

const operations = 'the template takes more than 10000 operations'
const large = 'the template makes lists or texts that are too large'
const long = 'the text exceeds 20000 characters'

const refused: [what: string, template: string, reason: string][] = [
  ['a loop over a range', '{% for i in (1..90000) %}{% endfor %}', operations],
  ['a range beyond all loops', '{% for i in (1..900000) %}{% endfor %}', large],
  [
    'loops in loops',
    '{% for a in (1..99) %}{% for b in (1..99) %}{% for c in (1..99) %}{{ c }}{% endfor %}{% endfor %}{% endfor %}',
    operations,
  ],
  ['a long condition in a loop', each(`{% if ${many('1', 9_000, ' and ')} %}{% endif %}`), operations],
  ['many branches in a loop', each(`{% if false %}${'{% elsif false %}'.repeat(1_000)}{% endif %}`), operations],
  [
    'many values of a case in a loop',
    each(`{% case 0 %}{% when ${many('1', 9_000, ', ')} %}{% endcase %}`),
    operations,
  ],
  [
    'lists compared by a case',
    `{% assign r = (1..50000) %}${each('{% case r %}{% when r %}{% endcase %}')}`,
    operations,
  ],
  ['lists compared by an operator', `{% assign r = (1..50000) %}${each('{% if r == r %}{% endif %}')}`, operations],
  ['a long list written in a loop', `{% assign r = (1..50000) %}${each('{{ r }}')}`, long],
  ['a long list sorted', '{% assign r = (1..20000) | sort %}', operations],
  ['many arguments of a filter in a loop', each(`{{ "a" | default: ${many('1', 9_000, ', ')} }}`), operations],
  ['a text that doubles', `{% assign a = "x" %}${each('{% assign a = a | append: a %}')}`, large],
  [
    'a long text searched in a loop',
    `{% assign a = "${'ab'.repeat(20_000)}" %}${each('{% if a contains "ba" %}{% endif %}')}`,
    operations,
  ],
  ['much text in a loop', each('x'.repeat(50_000)), long],
  ['many tags', '{% if true %}'.repeat(1_900) + '{% endif %}'.repeat(1_900), operations],
  ['many outputs', '{{ 1 }}'.repeat(2_600), operations],
]
for (const [what, template, reason] of refused) {
  test(`${what} is refused for what it does, not for the time it takes`, () => {
    assert.throws(
      () => renderText(template, scope),
      (error) => error instanceof TemplateError && error.message === `Line 1: ${reason}`,
    )
  })
}

test('a hundred rows with branches and filters fit into the budget', () => {
  const row =
    '- {{ row.path | code }}: {% if row.id == "key-1" and row.path contains "ada" %}{{ row.id | upcase | truncate: 20 }}{% else %}no{% endif %}\n'
  const text = renderText(`{% for row in rows %}${row}{% endfor %}`, scope)
  assert.equal(text.split('\n').length, 101)
  assert.match(text, /^- `\/home\/ada\/\.ssh\/1`: KEY\\-1$/m)
})

test('the SQL of a check has the same budget', () => {
  const template = `select 1${'{% if true %} {% endif %}'.repeat(2_000)}`
  assert.throws(
    () => renderSql(template, {}, {}),
    (error) => error instanceof TemplateError && error.message === `Line 1: ${operations}`,
  )
})

test('the line of what goes beyond the budget is told', () => {
  assert.throws(() => renderText('one\ntwo\n{% for i in (1..90000) %}{% endfor %}', scope), /^TemplateError: Line 3: /)
})
