import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { gunzipSync, inflateSync } from 'node:zlib'

const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex')

const textOf = (xml: string, tag: string): string => new RegExp(`<${tag}[^>]*>([^<]*)</${tag}>`).exec(xml)?.[1] ?? ''

/**
 * The files of a xar archive by their names, which differ here, and its table. Every sum and length of the table is held against what
 * is there.
 */
export function readXar(bytes: Buffer): { toc: string; files: Map<string, Buffer> } {
  assert.equal(bytes.toString('latin1', 0, 4), 'xar!')
  const [headerSize, version] = [bytes.readUInt16BE(4), bytes.readUInt16BE(6)]
  const [packed, plain] = [Number(bytes.readBigUInt64BE(8)), Number(bytes.readBigUInt64BE(16))]
  assert.deepEqual([headerSize, version, bytes.readUInt32BE(24)], [28, 1, 1])
  const packedToc = bytes.subarray(28, 28 + packed)
  const toc = inflateSync(packedToc).toString()
  assert.equal(Buffer.byteLength(toc), plain)
  const heap = bytes.subarray(28 + packed)
  assert.equal(heap.toString('hex', 0, 20), sha1Of(packedToc))
  const files = new Map<string, Buffer>()
  let end = 20
  for (const [, name = '', data = ''] of toc.matchAll(
    /<name>([^<]*)<\/name><type>file<\/type>.*?<data>(.*?)<\/data>/gs,
  )) {
    const [length, offset, size] = ['length', 'offset', 'size'].map((tag) => Number(textOf(data, tag)))
    const stored = heap.subarray(offset, Number(offset) + Number(length))
    const content = /x-gzip/.test(data) ? inflateSync(stored) : stored
    assert.equal(content.length, size, name)
    assert.equal(textOf(data, 'archived-checksum'), sha1Of(stored), name)
    assert.equal(textOf(data, 'extracted-checksum'), sha1Of(content), name)
    files.set(name, content)
    end = Math.max(end, Number(offset) + Number(length))
  }
  assert.equal(heap.length, end, 'nothing follows')
  return { toc, files }
}

export type Unpacked = { mode: number; uid: number; gid: number; content: Buffer }

/** What a cpio archive of the form odc holds, which is packed by gzip, by its paths in their order. */
export function readCpio(packed: Buffer): Map<string, Unpacked> {
  const bytes = gunzipSync(packed)
  const entries = new Map<string, Unpacked>()
  for (let at = 0; ; ) {
    const octal = (from: number, length: number) =>
      Number.parseInt(bytes.toString('latin1', at + from, at + from + length), 8)
    assert.equal(bytes.toString('latin1', at, at + 6), '070707')
    const [mode, uid, gid, nameSize, size] = [octal(18, 6), octal(24, 6), octal(30, 6), octal(59, 6), octal(65, 11)]
    const name = bytes.toString('latin1', at + 76, at + 76 + nameSize - 1)
    const from = at + 76 + nameSize
    if (name === 'TRAILER!!!') return entries
    entries.set(name, { mode, uid, gid, content: bytes.subarray(from, from + size) })
    at = from + size
  }
}
