import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CpioEntry, cpioHeader, cpioTrailer } from './cpio.ts'

const file = (changes: Partial<CpioEntry> = {}): CpioEntry => ({
  path: './opt/x',
  mode: 0o755,
  isFolder: false,
  size: 8,
  ...changes,
})

test('a header has ten octal numbers after the magic, then the name with its NUL', () => {
  const header = cpioHeader(file({ size: 4711 }), 9, 1_795_168_800)
  assert.equal(
    header.toString('latin1'),
    '0707070000000000111007550000000000000000010000001530001504000001000000011147./opt/x\0',
  )
  assert.equal(header.length, 76 + './opt/x'.length + 1)
})

test('a folder has its type in the mode, and two links', () => {
  const header = cpioHeader({ path: '.', mode: 0o755, isFolder: true, size: 0 }, 1, 0).toString('latin1')
  assert.equal(header.slice(12, 42), '000001040755000000000000000002')
  assert.equal(header.slice(59), '00000200000000000.\0')
})

test('the end fills the archive up to whole blocks of 512 bytes', () => {
  for (const size of [0, 1, 424, 425, 426, 512, 5_000_001]) {
    const trailer = cpioTrailer(size)
    assert.equal((size + trailer.length) % 512, 0, `after ${size} bytes`)
    assert.ok(trailer.length < 87 + 512)
    assert.equal(trailer.toString('latin1').replace(/\0+$/, '').slice(-10), 'TRAILER!!!')
  }
  assert.equal(cpioTrailer(425).length, 87)
  assert.equal(cpioTrailer(426).length, 86 + 512)
})

test('what the form has no room for is refused', () => {
  assert.doesNotThrow(() => cpioHeader(file({ size: 8 ** 11 - 1 }), 8 ** 6 - 1, 0))
  assert.throws(() => cpioHeader(file({ size: 8 ** 11 }), 1, 0), /Too large for a cpio archive: the size of .\/opt\/x/)
  assert.throws(() => cpioHeader(file(), 8 ** 6, 0), /Too large/)
  assert.throws(() => cpioHeader(file({ size: 1.5 }), 1, 0), /Too large/)
  assert.throws(() => cpioHeader(file({ size: -1 }), 1, 0), /Too large/)
  assert.throws(() => cpioHeader(file({ mode: 0o100755 }), 1, 0), /Not permission bits/)
  assert.throws(() => cpioHeader(file({ isFolder: true }), 1, 0), /no bytes of its own/)
  for (const path of ['', 'opt/x', '/opt/x', './', './\u00fc', './a\nb', './a\0', './a\x7f', 'TRAILER!!!']) {
    assert.throws(() => cpioHeader(file({ path }), 1, 0), /Not a name/, JSON.stringify(path))
  }
})
