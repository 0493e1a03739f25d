import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { FilePart } from '../file-parts.ts'
import { xmlText } from './xml-text.ts'

export type XarEntry =
  | { name: string; folder: readonly XarEntry[] }
  /** Compressed here. */
  | { name: string; content: Buffer }
  /** As it is; `sha1` of its bytes in hexadecimal. */
  | { name: string; stored: FilePart; sha1: string }

const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex')
const sha1Bytes = 20
const headerBytes = 28

type Stored = { part: FilePart; length: number; size: number; style: string; archived: string; extracted: string }

/**
 * A xar archive as parts: header, table of contents, and the files one after the other. The same bytes for the same entries and
 * `createdAt`. Sums are SHA-1, which the format's first version has and every reader takes; nothing is proved by them.
 */
export function xarArchive(entries: readonly XarEntry[], createdAt: string): FilePart[] {
  const parts: FilePart[] = []
  let [offset, number] = [sha1Bytes, 0]

  function element(entry: XarEntry): string {
    number += 1
    const id = number
    if ('folder' in entry) return folderElement(id, entry.name, entry.folder.map(element).join(''))
    const stored = storedOf(entry)
    const text = fileElement(id, entry.name, stored, offset)
    parts.push(stored.part)
    offset += stored.length
    return text
  }

  const files = entries.map(element).join('')
  const table = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<xar><toc><creation-time>${createdAt.replace(/\.\d+Z$/, '')}</creation-time><checksum style="sha1"><offset>0</offset><size>${sha1Bytes}</size></checksum>${files}</toc></xar>
`)
  const packed = deflateSync(table)
  const header = Buffer.alloc(headerBytes)
  header.write('xar!', 'latin1')
  header.writeUInt16BE(headerBytes, 4)
  header.writeUInt16BE(1, 6)
  header.writeBigUInt64BE(BigInt(packed.length), 8)
  header.writeBigUInt64BE(BigInt(table.length), 16)
  header.writeUInt32BE(1, 24)
  return [Buffer.concat([header, packed, Buffer.from(sha1Of(packed), 'hex')]), ...parts]
}

function storedOf(entry: Exclude<XarEntry, { folder: unknown }>): Stored {
  if ('stored' in entry) {
    const { stored: part, sha1 } = entry
    const size = Buffer.isBuffer(part) ? part.length : part.size
    return { part, length: size, size, style: 'application/octet-stream', archived: sha1, extracted: sha1 }
  }
  const part = deflateSync(entry.content)
  const sums = { archived: sha1Of(part), extracted: sha1Of(entry.content) }
  // This name means zlib's form here, not that of gzip.
  return { part, length: part.length, size: entry.content.length, style: 'application/x-gzip', ...sums }
}

const owner = '<uid>0</uid><gid>0</gid>'

const folderElement = (id: number, name: string, inside: string): string =>
  `<file id="${id}"><type>directory</type><mode>0755</mode>${owner}<name>${xmlText(name)}</name>${inside}</file>`

const fileElement = (id: number, name: string, of: Stored, offset: number): string =>
  `<file id="${id}"><data><length>${of.length}</length><offset>${offset}</offset><size>${of.size}</size>` +
  `<encoding style="${of.style}"/><extracted-checksum style="sha1">${of.extracted}</extracted-checksum>` +
  `<archived-checksum style="sha1">${of.archived}</archived-checksum></data>` +
  `<type>file</type><mode>0644</mode>${owner}<name>${xmlText(name)}</name></file>`
