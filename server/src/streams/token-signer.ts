import { createPrivateKey, type KeyObject, sign as signCallback } from 'node:crypto'
import { promisify } from 'node:util'
import type { Db } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { findSigningKey, sealingPlace } from './signing-keys.ts'

// With a callback it runs on a thread of the pool.
const sign = promisify(signCallback)

export type TokenSigner = {
  /** The compact form of a token: of a security event (RFC 8417 §2) unless its type is said. */
  sign(claims: object, now: string, type?: string): Promise<string>
}

type HeldKey = { kid: string; headers: Map<string, string>; privateKey: KeyObject; until: string }

/** How long a key is used before the database is asked whether another has taken over. */
const heldForMs = 10_000

export function tokenSigner(db: Db, secrets: Secrets): TokenSigner {
  let held: HeldKey | undefined

  async function keyAt(now: string): Promise<HeldKey> {
    if (held && now < held.until) return held
    const row = await findSigningKey(db, now)
    if (!row) throw new Error('There is no signing key')
    const der = secrets.unseal(row.sealed_private_key, sealingPlace(row.kid))
    const soon = new Date(Date.parse(now) + heldForMs).toISOString()
    held = {
      kid: row.kid,
      headers: new Map(),
      privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
      until: row.retired_at !== null && row.retired_at < soon ? row.retired_at : soon,
    }
    return held
  }

  return {
    async sign(claims, now, type = 'secevent+jwt') {
      const { kid, headers, privateKey } = await keyAt(now)
      const header = headers.get(type) ?? encode({ alg: 'RS256', kid, typ: type })
      headers.set(type, header)
      const signed = `${header}.${encode(claims)}`
      const signature = await sign('RSA-SHA256', Buffer.from(signed), privateKey)
      return `${signed}.${signature.toString('base64url')}`
    },
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
