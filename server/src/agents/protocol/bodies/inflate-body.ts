import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { isGzip } from './inflate-start.ts'

const mebibyte = 2 ** 20
/** As long as a body without compression may be. */
const maxInflatedBytes = 16 * mebibyte
/** Logs shrink to a tenth; of a thousand lines that say the same, a fiftieth is left. */
const maxRatio = 200
const alwaysInflatedBytes = mebibyte

const inflate = promisify(gunzip)

/** What a body stands for, compressed or not; undefined when it is broken or too long for what was sent. */
export async function inflateBody(bytes: Buffer): Promise<Buffer | undefined> {
  if (!isGzip(bytes)) return bytes
  const maxOutputLength = Math.min(maxInflatedBytes, Math.max(alwaysInflatedBytes, maxRatio * bytes.length))
  try {
    return await inflate(bytes, { maxOutputLength })
  } catch {
    return undefined
  }
}
