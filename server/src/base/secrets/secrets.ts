import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { openSealed, sealWith } from './sealing.ts'

const macLength = 16

/** What the master key can do. Each use and each purpose has its own subkey, so none can stand in for another. */
export type Secrets = Readonly<{
  /** Hex of 16 bytes: tells master keys apart and tells nothing about them. */
  fingerprint: string
  /** HMAC-SHA-256, 32 bytes: how a token that is shown once is found again. */
  lookupHash(purpose: string, token: string): Buffer
  /** AES-256-GCM. `aad` binds the text to its place: organization id, record id, purpose. */
  seal(plaintext: string | Uint8Array, aad: readonly string[]): Buffer
  /** Throws an UnsealError unless master key, place and every byte are those of `seal`. */
  unseal(sealed: Uint8Array, aad: readonly string[]): Buffer
  /** HMAC-SHA-256 cut to 16 bytes. */
  sign(purpose: string, message: string | Uint8Array): Buffer
  /** In constant time; false for a code of any other length. */
  verify(purpose: string, message: string | Uint8Array, code: Uint8Array): boolean
}>

/** Derives the key ring (HKDF-SHA-256, RFC 5869) of a 32-byte master key. */
export function openSecrets(masterKey: Buffer): Secrets {
  if (masterKey.length !== 32) throw new Error('A master key has 32 bytes')
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `muster/v1/${use}`, length))
  const subkeys = new Map<string, KeyObject>()
  // Purposes are words in the code, so the cache stays as small as their number.
  const subkey = (use: string) => {
    const key = subkeys.get(use) ?? createSecretKey(derive(use, 32))
    subkeys.set(use, key)
    return key
  }
  const mac = (use: string, message: string | Uint8Array) => createHmac('sha256', subkey(use)).update(message).digest()
  const sign: Secrets['sign'] = (purpose, message) => mac(`sign/${purpose}`, message).subarray(0, macLength)
  const sealingKey = { key: subkey('seal'), id: derive('seal-key-id', 4) }
  return Object.freeze({
    fingerprint: derive('fingerprint', 16).toString('hex'),
    lookupHash: (purpose, token) => mac(`lookup/${purpose}`, token),
    seal: (plaintext, aad) => sealWith(sealingKey, plaintext, aad),
    unseal: (sealed, aad) => openSealed(sealingKey, sealed, aad),
    sign,
    verify: (purpose, message, code) => code.length === macLength && timingSafeEqual(sign(purpose, message), code),
  } satisfies Secrets)
}
