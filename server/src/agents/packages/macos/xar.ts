import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { type FilePart, sizeOf } from '../file-parts.ts'
import { xmlText } from './xml-text.ts'

/** A folder, bytes that are compressed here, or a part that is stored as it is; `sha1` is of its bytes, in hexadecimal. */
export type XarEntry =
  | { name: string; folder: readonly XarEntry[] }
  | { name: string; content: Buffer }
  | { name: string; stored: FilePart; sha1: string }

/** What lies behind the table so far; `size` in bytes. */
type Heap = { parts: FilePart[]; size: number; entries: number }

type Stored = { part: FilePart; style: string; size: number; extracted: string; archived: string }

const headerSize = 28
const sha1Size = 20
const sha1Number = 1

const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex')

function storedFile(entry: Exclude<XarEntry, { folder: unknown }>): Stored {
  if ('content' in entry) {
    const part = deflateSync(entry.content)
    // The name is that of gzip, but what readers expect is a zlib stream.
    const [extracted, archived] = [sha1Of(entry.content), sha1Of(part)]
    return { part, style: 'application/x-gzip', size: entry.content.length, extracted, archived }
  }
  const { name, stored: part, sha1 } = entry
  if (!/^[0-9a-f]{40}$/.test(sha1)) throw new Error(`Not a SHA-1 in hexadecimal, of ${name}: ${sha1}`)
  return { part, style: 'application/octet-stream', size: sizeOf([part]), extracted: sha1, archived: sha1 }
}

/** Puts the file into the heap. */
function dataElement(entry: Exclude<XarEntry, { folder: unknown }>, heap: Heap): string {
  const { part, style, size, extracted, archived } = storedFile(entry)
  const offset = heap.size
  const length = sizeOf([part])
  heap.parts.push(part)
  heap.size += length
  return (
    `<data><length>${length}</length><offset>${offset}</offset><size>${size}</size><encoding style="${style}"/>` +
    `<extracted-checksum style="sha1">${extracted}</extracted-checksum>` +
    `<archived-checksum style="sha1">${archived}</archived-checksum></data>`
  )
}

function fileElement(entry: XarEntry, heap: Heap): string {
  const { name } = entry
  if (name === '' || name === '.' || name === '..' || name.includes('/')) {
    throw new Error(`Not a name in an archive: ${JSON.stringify(name)}`)
  }
  heap.entries += 1
  const isFolder = 'folder' in entry
  const about =
    `<file id="${heap.entries}"><name>${xmlText(name)}</name><type>${isFolder ? 'directory' : 'file'}</type>` +
    `<mode>${isFolder ? '0755' : '0644'}</mode><uid>0</uid><gid>0</gid>`
  const inside = isFolder ? entry.folder.map((child) => fileElement(child, heap)).join('') : dataElement(entry, heap)
  return `${about}${inside}</file>`
}

/** The beginning of the file, big-endian; the sizes of the table are in bytes. */
function headerBytes(compressedSize: number, plainSize: number): Buffer {
  const header = Buffer.alloc(headerSize)
  header.write('xar!', 'latin1')
  header.writeUInt16BE(headerSize, 4)
  header.writeUInt16BE(1, 6)
  header.writeBigUInt64BE(BigInt(compressedSize), 8)
  header.writeBigUInt64BE(BigInt(plainSize), 16)
  header.writeUInt32BE(sha1Number, 24)
  return header
}

/**
 * An archive of the form of a flat package: a header, a table in XML, and a heap that begins with the SHA-1 of the
 * compressed table. The same bytes for the same entries and `createdAt`, which is in ISO 8601: nothing in it is of this
 * machine. SHA-1 guards against damage alone; who made the package is a matter of a signature.
 */
export function xarArchive(entries: readonly XarEntry[], createdAt: string): FilePart[] {
  const heap: Heap = { parts: [], size: sha1Size, entries: 0 }
  const files = entries.map((entry) => fileElement(entry, heap)).join('')
  // To the second and without a zone, which is UTC, as Apple's own xar writes it.
  const time = new Date(createdAt).toISOString().slice(0, 19)
  const table = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<xar><toc><checksum style="sha1"><offset>0</offset>` +
      `<size>${sha1Size}</size></checksum><creation-time>${time}</creation-time>${files}</toc></xar>\n`,
  )
  const compressed = deflateSync(table)
  const header = headerBytes(compressed.length, table.length)
  return [Buffer.concat([header, compressed, Buffer.from(sha1Of(compressed), 'hex')]), ...heap.parts]
}
