import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import type { FilePart } from '../file-parts.ts'
import { type XarEntry, xarArchive } from './xar.ts'

const createdAt = '2026-11-30T07:11:57.123Z'
const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex')

const bytesOf = (parts: readonly FilePart[]) =>
  Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : Buffer.alloc(part.size, part.path))))

function read(parts: readonly FilePart[]) {
  const bytes = bytesOf(parts)
  const compressed = bytes.subarray(28, 28 + Number(bytes.readBigUInt64BE(8)))
  return { bytes, compressed, table: inflateSync(compressed), heap: bytes.subarray(28 + compressed.length) }
}

/** The numbers and texts of the data elements, in their order. */
const dataOf = (table: Buffer) =>
  [...table.toString().matchAll(/<data>(.*?)<\/data>/g)].map(([, data = '']) => {
    const number = (name: string) => Number(new RegExp(`<${name}>(\\d+)<`).exec(data)?.[1])
    const sum = (name: string) => new RegExp(`<${name} style="sha1">(\\w+)<`).exec(data)?.[1]
    return {
      length: number('length'),
      offset: number('offset'),
      size: number('size'),
      style: /<encoding style="(.*?)"\/>/.exec(data)?.[1],
      extracted: sum('extracted-checksum'),
      archived: sum('archived-checksum'),
    }
  })

const stored = { path: 'xy', size: 5 }
const entries: XarEntry[] = [
  {
    name: 'a.pkg',
    folder: [
      { name: 'Bom', content: Buffer.from('the bill '.repeat(100)) },
      { name: 'Payload', stored, sha1: sha1(Buffer.from('xyxyx')) },
    ],
  },
  { name: 'Distribution', content: Buffer.from('<installer/>') },
]

test('the header gives the sizes of the table, and the heap begins with its SHA-1', () => {
  const { bytes, compressed, table, heap } = read(xarArchive(entries, createdAt))
  assert.equal(bytes.toString('latin1', 0, 4), 'xar!')
  assert.deepEqual([bytes.readUInt16BE(4), bytes.readUInt16BE(6), bytes.readUInt32BE(24)], [28, 1, 1])
  assert.equal(bytes.readBigUInt64BE(16), BigInt(table.length))
  assert.equal(heap.toString('hex', 0, 20), sha1(compressed))
  assert.match(table.toString(), /<checksum style="sha1"><offset>0<\/offset><size>20<\/size><\/checksum>/)
  assert.match(table.toString(), /<creation-time>2026-11-30T07:11:57<\/creation-time>/)
})

test('each file lies in the heap where the table says, with the checksums of both its forms', () => {
  const { table, heap } = read(xarArchive(entries, createdAt))
  const files = dataOf(table)
  assert.deepEqual(
    files.map(({ style, size }) => [style, size]),
    [
      ['application/x-gzip', 900],
      ['application/octet-stream', 5],
      ['application/x-gzip', 12],
    ],
  )
  let end = 20
  for (const { length, offset, size, style, extracted, archived } of files) {
    assert.equal(offset, end, 'nothing lies between files')
    end += length
    const bytes = heap.subarray(offset, end)
    assert.equal(sha1(bytes), archived)
    const plain = style === 'application/x-gzip' ? inflateSync(bytes) : bytes
    assert.deepEqual([plain.length, sha1(plain)], [size, extracted])
  }
  assert.equal(end, heap.length)
})

test('files have numbers of their own, stand in their folder, and belong to root', () => {
  const table = read(xarArchive(entries, createdAt))
    .table.toString()
    .replace(/<data>.*?<\/data>/g, '')
  const about = (id: number, name: string, rest: string) =>
    `<file id="${id}"><name>${name}</name>${rest}<uid>0</uid><gid>0</gid>`
  const file = '<type>file</type><mode>0644</mode>'
  assert.ok(
    table.endsWith(
      `${about(1, 'a.pkg', '<type>directory</type><mode>0755</mode>')}${about(2, 'Bom', file)}</file>` +
        `${about(3, 'Payload', file)}</file></file>${about(4, 'Distribution', file)}</file></toc></xar>\n`,
    ),
  )
})

test('a stored part is handed on as it is, and the bytes are the same each time', () => {
  const parts = xarArchive(entries, createdAt)
  assert.ok(parts.includes(stored))
  assert.deepEqual(bytesOf(parts), bytesOf(xarArchive(entries, createdAt)))
})

test('names are escaped, and refused where they would lead elsewhere', () => {
  const named = (name: string) => xarArchive([{ name, content: Buffer.alloc(0) }], createdAt)
  assert.match(read(named(`<&>"'`)).table.toString(), /<name>&lt;&amp;&gt;&quot;&apos;<\/name>/)
  for (const name of ['', '.', '..', 'a/b']) assert.throws(() => named(name), /Not a name/)
  assert.throws(() => named('a\u0001'), /Not a text for XML/)
  assert.throws(() => xarArchive([{ name: 'a', stored, sha1: 'abc' }], createdAt), /Not a SHA-1/)
})
