import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../test/support/processor-time.ts'
import { catalogue } from '../../checks/catalogue/catalogue.ts'
import { findRawHtml } from './raw-html.ts'

const withHtml: [markdown: string, found: string][] = [
  ['Press <b>now</b>.', '<b>now</b>.'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['A comment <!-- here -->', '<!-- here -->'],
  ['An end </div>', '</div>'],
  ['An image <img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['{% if options.a %}<i>{% endif %}', '<i>'],
  ['<{% if options.a %}b{% endif %}>', '<b>'],
  ['`code` <b> `code`', '<b> '],
  ['a ` alone <b>', '<b>'],
  ['```\ncode\n```\n<b>', '<b>'],
  ['a ` alone\n\n<b> and ` another', '<b> and ` another'],
  ['- item\n  ```\n<b>', '<b>'],
  ['``` no ` fence\n<b>', '<b>'],
]
for (const [markdown, found] of withHtml) {
  test(`HTML is found in ${JSON.stringify(markdown)}`, () => {
    assert.equal(findRawHtml(markdown), found)
  })
}

const withoutHtml = [
  'Three < four and 5 > 4, also a<5',
  'Type `<b>` or ``a ` <i>``.',
  '```\n<b>\n```\nand on',
  '~~~\n<b>',
  'See <https://example.com/a?b=c> or <it@example.com>.',
  'Escaped \\<b>',
  '{% if rows.size < 3 %}few{% endif %}',
]
for (const markdown of withoutHtml) {
  test(`no HTML is found in ${JSON.stringify(markdown)}`, () => {
    assert.equal(findRawHtml(markdown), undefined)
  })
}

test('no text of the catalogue has HTML', () => {
  for (const { slug, rationale, fixInstructions } of catalogue) {
    assert.equal(findRawHtml(rationale) ?? findRawHtml(fixInstructions), undefined, slug)
  }
})

test('hostile text is looked through in little processor time', async () => {
  const ms = await processorMs(() => {
    for (const unit of ['`', '<', '\\', '```\n', '{{', '<a:', '` ', '~~~', '<a@', '``` ```` ']) {
      findRawHtml(unit.repeat(Math.ceil(20_000 / unit.length)))
    }
  })
  assert.ok(ms < 4_000, `${ms} ms`)
})
