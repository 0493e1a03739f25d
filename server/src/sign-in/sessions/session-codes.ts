import { createHash } from 'node:crypto'

/** SHA-256 in hex. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Six characters by which IT finds the session; they open nothing. */
export function helpCode(sessionId: string): string {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  const digest = createHash('sha256').update(`help ${sessionId}`).digest()
  return [...digest.subarray(0, 6)].map((byte) => letters[byte % letters.length]).join('')
}
