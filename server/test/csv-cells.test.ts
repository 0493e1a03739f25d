import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from '@muster/contract/csv-cells.ts'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
const delimiters = [',', ';', '\t']

const reading = { record_delimiter: ['\r\n', '\n', '\r'], relax_quotes: true, relax_column_count: true }

/** The cells that a reader with a delimiter sees; `quote: null` is one that knows no quotation marks. */
function cellsOf(text: string, delimiter: string, quote: '"' | null = '"'): string[] {
  const read = (given: string) => (parse(given, { ...reading, delimiter, quote }) as string[][]).flat()
  try {
    return read(text)
  } catch {
    // A quotation mark that is open at the end of the file is taken for closed.
    return read(`${text}"`)
  }
}

const isComputed = (cell: string): boolean => /^[\s\p{C}"]*[=+\-@＝＋－＠]/u.test(cell)

function assertNothingIsComputed(rows: readonly (readonly (string | null)[])[]): void {
  const text = rows.map(csvLine).join('')
  const readers = [...delimiters.map((one) => [one, '"'] as const), [';', null], ['\t', null]] as const
  for (const [delimiter, quote] of readers) {
    const cells = cellsOf(text, delimiter, quote)
    assert.deepEqual(cells.filter(isComputed), [], JSON.stringify({ text, delimiter, quote }))
  }
}

test('what a spreadsheet would compute is text', () => {
  for (const begin of [...signs, '\t', '\r', ' =', '\u00a0+', '\u200b@', '"=', '\n=']) {
    assert.match(csvLine([`${begin}cmd|' /C calc'!A0`]), /^"?'/, begin)
  }
  assert.equal(csvLine(['=HYPERLINK("https://evil.example","x")']), `"'=HYPERLINK(""https://evil.example"",""x"")"\r\n`)
  assert.equal(csvLine(['a=b', 'mail@example', '5-3', 'a - b']), 'a=b,mail@example,5-3,a - b\r\n')
})

test('no cell of a reader with another delimiter is computed', () => {
  assert.equal(csvLine(['a;=1+1', 'x']), `"a;'=1+1",x\r\n`)
  for (const sign of signs) {
    for (const between of [';', '\t', '\n', '\r\n', '; ', ';"', ';""', ';\t', '\n\n', ' ; \u200b', '";"', '";', ',;']) {
      const odd = `a${between}${sign}1+1`
      assertNothingIsComputed([[odd], ['x', odd], ['x', odd, 'y'], ['a;', odd, 'b'], ['a"', odd]])
    }
  }
})

test('whatever the texts, no reader computes one, and one of commas reads them as they were', () => {
  const pieces = fc.constantFrom(...signs, ...delimiters, '"', "'", ' ', '\n', '\r', '1', 'a', '', '\u200b', '😀')
  const cell = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  const plain = (text: string) => text.replaceAll("'", '')
  fc.assert(
    fc.property(rows, (given) => {
      assertNothingIsComputed(given)
      for (const row of given.filter((one) => one.join('') !== '')) {
        assert.deepEqual(cellsOf(csvLine(row), ',').map(plain), row.map(plain))
      }
    }),
    { numRuns: 2_000 },
  )
})

test('commas, quotation marks and lines stay within their cell', () => {
  assert.equal(csvLine(['a,b', 'say "hi"', 'two\nlines', '', null, 12]), '"a,b","say ""hi""","two\nlines",,,12\r\n')
  assert.equal(csvLine(['a;b', 'a\tb']), '"a;b","a\tb"\r\n')
})

test('a number is a number', () => {
  assert.equal(csvLine([-5, -0.5, 12]), '-5,-0.5,12\r\n')
})
