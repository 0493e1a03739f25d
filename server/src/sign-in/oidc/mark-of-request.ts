import { createHash } from 'node:crypto'

/** By what a signed request is known when it comes again: its `jti`, or else all of it. SHA-256. */
export function markOfRequest({ jti }: { jti?: unknown }, request: string): Buffer {
  const text = typeof jti === 'string' && jti !== '' ? `jti ${jti}` : `request ${request}`
  return createHash('sha256').update(text).digest()
}
