import { createHash } from 'node:crypto'

/** By what a signed request is known when it comes again: its `jti`, or else what was signed. SHA-256. */
export function markOfRequest({ jti }: { jti?: unknown }, request: string): Buffer {
  return typeof jti === 'string' && jti !== ''
    ? createHash('sha256').update(`jti ${jti}`).digest()
    : markOfSigned('request', request)
}

/**
 * By what a compact JWS (RFC 7515 §7.1) is known: its decoded header and payload. Its text would not do: the last character of a
 * signature has bits that mean nothing, and ECDSA has two signatures of the same. `kind` tells what it was sent as. SHA-256.
 */
export function markOfSigned(kind: string, jws: string): Buffer {
  const hash = createHash('sha256').update(`${kind} `)
  for (const part of jws.split('.', 2)) hash.update(Buffer.from(part, 'base64url')).update('.')
  return hash.digest()
}
