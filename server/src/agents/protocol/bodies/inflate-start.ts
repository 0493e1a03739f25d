import { constants, createGunzip } from 'node:zlib'

export const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/**
 * The first `length` bytes, or fewer, of what `bytes`, the start of a gzip stream, stand for. Some 16 kB at most are
 * inflated, which is what a stream reads ahead.
 */
export function inflateStart(bytes: Buffer, length: number): Promise<Buffer> {
  const { Z_SYNC_FLUSH } = constants
  const gunzip = createGunzip({ chunkSize: length, finishFlush: Z_SYNC_FLUSH })
  return new Promise((resolve) => {
    let start = Buffer.alloc(0)
    const finish = () => {
      gunzip.destroy()
      resolve(start.subarray(0, length))
    }
    gunzip.on('data', (chunk: Buffer) => {
      start = Buffer.concat([start, chunk])
      if (start.length >= length) finish()
    })
    gunzip.on('end', finish)
    gunzip.on('error', finish)
    gunzip.end(bytes)
  })
}
