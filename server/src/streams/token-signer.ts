import { createPrivateKey, type KeyObject, sign as signCallback } from 'node:crypto'
import { promisify } from 'node:util'
import type { Db } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { findSigningKey, sealingPlace } from './signing-keys.ts'

// With a callback it runs on a thread of the pool.
const sign = promisify(signCallback)

export type TokenSigner = {
  /** The compact form of a security event token (RFC 8417 §2). */
  sign(claims: object, now: string): Promise<string>
}

type HeldKey = { header: string; privateKey: KeyObject; until: string }

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
      header: encode({ alg: 'RS256', kid: row.kid, typ: 'secevent+jwt' }),
      privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
      until: row.retired_at !== null && row.retired_at < soon ? row.retired_at : soon,
    }
    return held
  }

  return {
    async sign(claims, now) {
      const { header, privateKey } = await keyAt(now)
      const signed = `${header}.${encode(claims)}`
      const signature = await sign('RSA-SHA256', Buffer.from(signed), privateKey)
      return `${signed}.${signature.toString('base64url')}`
    },
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
