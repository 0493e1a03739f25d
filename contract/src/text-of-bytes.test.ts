import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOfBytes } from './text-of-bytes.ts'

const text = 'serial,email\r\nC02A,zoë@acme.example\r\n'

test('a byte order mark says how a text is written, and is not part of it', () => {
  const little = Buffer.from(`\ufeff${text}`, 'utf16le')
  for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`), little, Buffer.from(little).swap16()]) {
    assert.equal(textOfBytes(bytes), text)
  }
  assert.equal(textOfBytes(Buffer.alloc(0)), '')
  assert.equal(textOfBytes(Buffer.from(text, 'latin1')), text.replace('ë', '\ufffd'))
})

test('UTF-16 without a byte order mark is no text', () => {
  assert.equal(textOfBytes(Buffer.from(text, 'utf16le')), undefined)
  assert.equal(textOfBytes(Buffer.from(text, 'utf16le').swap16()), undefined)
})
