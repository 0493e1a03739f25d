import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { fail } from '../../base/errors.ts'
import { limitConcurrency } from '../../base/jobs/limit-concurrency.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'

/** 64 MiB and three passes: some 50 ms, at more than three times what OWASP asks for at least. */
const cost = { memory: 65_536, passes: 3, parallelism: 1, tagLength: 32 } as const
const prefix = '$argon2id$v=19$m=65536,t=3,p=1$'
const saltLength = 16

/** Each takes 64 MiB and a thread of the pool, which the database's files and the signing of events need as well. */
const oneOfTwo = limitConcurrency(2)
const maxWaiting = 40
/** The rest is for those who have signed in before. */
const maxStrangersWaiting = 30
let waiting = 0

/** As it is stored: the algorithm, its cost, the salt and the hash. The key of the installation is in it. */
export async function hashPassword(secrets: Secrets, password: string): Promise<string> {
  const salt = randomBytes(saltLength)
  const hash = await deriveFrom(secrets, password, salt)
  return `${prefix}${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** Takes as long when there is no hash to compare with, and is false then. */
export async function verifyPassword(secrets: Secrets, password: string, stored: string | null): Promise<boolean> {
  const [salt = '', hash = ''] = stored?.startsWith(prefix) ? stored.slice(prefix.length).split('$') : []
  const expected = Buffer.from(hash, 'base64url')
  const isComparable = expected.length === cost.tagLength
  const nonce = isComparable ? Buffer.from(salt, 'base64url') : Buffer.alloc(saltLength)
  const derived = await deriveFrom(secrets, password, nonce)
  return timingSafeEqual(derived, isComparable ? expected : Buffer.alloc(cost.tagLength)) && isComparable
}

/** Fails with `unavailable` when so many passwords wait to be hashed that another one could not be. */
export function refuseWhenBusy(isKnown: boolean): void {
  if (waiting >= (isKnown ? maxWaiting : maxStrangersWaiting)) {
    fail('unavailable', { detail: 'too many passwords wait to be hashed' })
  }
}

async function deriveFrom(secrets: Secrets, password: string, nonce: Buffer): Promise<Buffer> {
  refuseWhenBusy(true)
  waiting += 1
  try {
    // The same letters typed on another system may come as other code points (NIST SP 800-63B §5.1.1.2).
    const message = password.normalize('NFKC')
    const secret = secrets.lookupHash('password pepper', '')
    return await oneOfTwo(() => promisify(argon2)('argon2id', { ...cost, message, nonce, secret }))
  } finally {
    waiting -= 1
  }
}
