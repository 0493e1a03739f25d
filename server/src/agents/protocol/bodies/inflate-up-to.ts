import { constants, createGunzip } from 'node:zlib'

export const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Of what a gzip stream stands for, the beginning, and why no more came: its end, the bound, or a fault in it. */
type Inflated = { bytes: Buffer; ending: 'end' | 'bound' | 'fault' }

const maxChunkBytes = 64 * 1024

/**
 * The first `maxBytes` of what a gzip stream stands for. Beyond them only what a stream reads ahead is inflated, some chunks of
 * at most 64 KiB. A stream that `isCut` may end anywhere; any other has a fault when its end is missing.
 */
export function inflateUpTo(bytes: Buffer, maxBytes: number, { isCut }: { isCut: boolean }): Promise<Inflated> {
  const { Z_SYNC_FLUSH, Z_FINISH } = constants
  const chunkSize = Math.min(maxBytes, maxChunkBytes)
  const gunzip = createGunzip({ chunkSize, finishFlush: isCut ? Z_SYNC_FLUSH : Z_FINISH })
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let inflatedBytes = 0
    const finish = (ending: Inflated['ending']) => {
      gunzip.destroy()
      resolve({ bytes: Buffer.concat(chunks, Math.min(inflatedBytes, maxBytes)), ending })
    }
    gunzip.on('data', (chunk: Buffer) => {
      if (inflatedBytes > maxBytes) return
      chunks.push(chunk)
      inflatedBytes += chunk.length
      if (inflatedBytes > maxBytes) finish('bound')
    })
    gunzip.on('end', () => finish('end'))
    gunzip.on('error', () => finish('fault'))
    gunzip.end(bytes)
  })
}
