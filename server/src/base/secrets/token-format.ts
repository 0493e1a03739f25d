import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { TokenPrefix } from './token-prefixes.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
// 248 is the largest multiple of 62 in a byte: bytes from there up would favour the first letters.
const unbiasedBelow = 248

const apiKeyPrefix = 'mstr_v1'

/** `mstr_v1_`, 30 random base62 characters (178 bits), 6 of checksum. */
export function generateKey(): string {
  return generateToken(apiKeyPrefix)
}

/** True for text that `generateKey` could have made. Tells typing errors and scanners apart, not friend from foe. */
export function isWellFormedKey(text: string): boolean {
  return isWellFormedToken(apiKeyPrefix, text)
}

/** `<prefix>_`, 30 random base62 characters, 6 of checksum: the form of every secret that Muster issues. */
export function generateToken(prefix: TokenPrefix): string {
  const body = `${prefix}_${randomBase62(randomLength)}`
  return body + checksumOf(body)
}

export function isWellFormedToken(prefix: TokenPrefix, text: string): boolean {
  if (text.length !== prefix.length + 1 + randomLength + checksumLength) return false
  if (!text.startsWith(`${prefix}_`) || !/^[0-9A-Za-z]+$/.test(text.slice(prefix.length + 1))) return false
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < checksumLength; place += 1) {
    digits = (alphabet[rest % alphabet.length] ?? '') + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}

function randomBase62(length: number): string {
  let digits = ''
  while (digits.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < unbiasedBelow && digits.length < length) digits += alphabet[byte % alphabet.length] ?? ''
    }
  }
  return digits
}
