import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const maxInflatedBytes = 64 * 2 ** 20
/** Parsed values take many times their text, so their number is bounded as well as the length of the text. */
const maxValues = 4_000_000
const carefreeBytes = 4 * 2 ** 20

const inflate = promisify(gunzip)

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** The JSON of a log request, compressed or not; undefined when it cannot be had at a bearable price. */
export async function inflateLog(bytes: Buffer): Promise<unknown> {
  try {
    const text = isGzip(bytes) ? await inflate(bytes, { maxOutputLength: maxInflatedBytes }) : bytes
    if (text.length > maxInflatedBytes || (text.length > carefreeBytes && countValues(text) > maxValues)) {
      return undefined
    }
    return JSON.parse(text.toString('utf8'))
  } catch {
    return undefined
  }
}

/** At most so many values are in the text: each but the first of its parent follows a comma, each first a bracket. */
function countValues(text: Buffer): number {
  let count = 0
  for (const byte of text) {
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count += 1
    if (count > maxValues) break
  }
  return count
}
