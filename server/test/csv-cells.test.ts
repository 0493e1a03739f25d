import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv-cells.ts'

test('what a spreadsheet would compute is text', () => {
  for (const begin of ['=', '+', '-', '@', '\t', '\r']) {
    assert.match(csvLine([`${begin}cmd|' /C calc'!A0`]), /^"?'/, begin)
  }
  assert.equal(csvLine(['=HYPERLINK("https://evil.example","x")']), `"'=HYPERLINK(""https://evil.example"",""x"")"\r\n`)
  assert.equal(csvLine(['a=b', 'mail@example', '5-3']), 'a=b,mail@example,5-3\r\n')
})

test('commas, quotation marks and lines stay within their cell', () => {
  assert.equal(csvLine(['a,b', 'say "hi"', 'two\nlines', '', null, 12]), '"a,b","say ""hi""","two\nlines",,,12\r\n')
})
