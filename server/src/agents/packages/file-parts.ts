import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

/** A piece of a file that is sent: bytes, or a whole file of the disk. */
export type FilePart = Buffer | { path: string; size: number }

const sizeOfPart = (part: FilePart): number => (Buffer.isBuffer(part) ? part.length : part.size)

export const sizeOf = (parts: readonly FilePart[]): number => parts.reduce((total, part) => total + sizeOfPart(part), 0)

async function* bytesOf(parts: readonly FilePart[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (Buffer.isBuffer(part)) yield part
    else yield* createReadStream(part.path) as AsyncIterable<Buffer>
  }
}

/** The pieces as one stream; a file is open only while it is read. */
export const streamOf = (parts: readonly FilePart[]): Readable => Readable.from(bytesOf(parts), { objectMode: false })

/** SHA-256 in hexadecimal. */
export async function hashParts(parts: readonly FilePart[]): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of bytesOf(parts)) hash.update(bytes)
  return hash.digest('hex')
}
