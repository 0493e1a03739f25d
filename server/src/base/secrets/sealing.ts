import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

const formatVersion = 1
const keyIdLength = 4
const headerLength = 1 + keyIdLength
const nonceLength = 12
const tagLength = 16

export type SealingKey = { key: KeyObject; id: Buffer }

export class UnsealError extends Error {
  override readonly name = 'UnsealError'
}

/** Version (1 byte), key id (4), nonce (12), ciphertext, tag (16). */
export function sealWith({ key, id }: SealingKey, plaintext: string | Uint8Array, aad: readonly string[]): Buffer {
  const header = Buffer.concat([Buffer.of(formatVersion), id])
  // Random 96-bit nonces are safe to 2^32 seals of one key (NIST SP 800-38D §8.3).
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
  cipher.setAAD(bound(header, aad))
  const body = typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext
  return Buffer.concat([header, nonce, cipher.update(body), cipher.final(), cipher.getAuthTag()])
}

export function openSealed({ key, id }: SealingKey, sealed: Uint8Array, aad: readonly string[]): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  if (bytes.length < headerLength + nonceLength + tagLength) throw new UnsealError('The sealed value is cut short')
  if (bytes[0] !== formatVersion) throw new UnsealError(`The sealed value has the unknown format ${bytes[0]}`)
  const header = bytes.subarray(0, headerLength)
  if (!header.subarray(1).equals(id)) throw new UnsealError('The value was sealed with another master key')
  const bodyStart = headerLength + nonceLength
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(headerLength, bodyStart), {
    authTagLength: tagLength,
  })
  decipher.setAAD(bound(header, aad))
  decipher.setAuthTag(bytes.subarray(-tagLength))
  const body = decipher.update(bytes.subarray(bodyStart, -tagLength))
  try {
    return Buffer.concat([body, decipher.final()])
  } catch (cause) {
    throw new UnsealError('The sealed value was altered or belongs to another record', { cause })
  }
}

/** JSON keeps the parts apart: ["1","23"] never reads as ["12","3"]. */
function bound(header: Buffer, aad: readonly string[]): Buffer {
  return Buffer.concat([header, Buffer.from(JSON.stringify(aad), 'utf8')])
}
