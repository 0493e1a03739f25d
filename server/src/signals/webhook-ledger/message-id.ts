import { randomFillSync } from 'node:crypto'
import { ulid } from 'ulid'

const pool = Buffer.alloc(4_096)
let used = pool.length

/** Within [0, 1), of the system's randomness, taken in large pieces: a ULID asks 16 times, a call each time costs most of it. */
function random(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const byte = pool.readUInt8(used)
  used += 1
  return byte / 256
}

/** A ULID that begins with the moment of what happened. */
export const messageIdAt = (at: string): string => ulid(Date.parse(at), random)
