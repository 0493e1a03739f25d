import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../base/secrets/secrets.ts'

const randomLength = 24
const markLength = 8
const form = /^[\w-]{43}$/

export const nodeKeyPurpose = 'node key'

/** A new node key: 24 random bytes and 8 that only the master key can make of them, in base64url. */
export function makeNodeKey(secrets: Secrets): string {
  const random = randomBytes(randomLength)
  return Buffer.concat([random, markOf(secrets, random)]).toString('base64url')
}

/**
 * `own`: this master key has made the node key. `foreign`: it cannot be one. `unknown`: nobody can say without reading
 * the database, since the node keys of Muster 0.1 are all random.
 */
export function originOf(secrets: Secrets, nodeKey: string): 'own' | 'foreign' | 'unknown' {
  if (!form.test(nodeKey)) return 'foreign'
  const bytes = Buffer.from(nodeKey, 'base64url')
  const mark = markOf(secrets, bytes.subarray(0, randomLength))
  return timingSafeEqual(mark, bytes.subarray(randomLength, randomLength + markLength)) ? 'own' : 'unknown'
}

const markOf = (secrets: Secrets, random: Buffer): Buffer =>
  secrets.sign(nodeKeyPurpose, random).subarray(0, markLength)
