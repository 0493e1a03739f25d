import { createPrivateKey, type KeyObject, sign as signCallback } from 'node:crypto'
import { promisify } from 'node:util'
import type { Db } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { ensureSigningKey } from './rotate-signing-key.ts'
import { unsealPrivateKey } from './seal-private-key.ts'
import { findSigningKey, type KeyRing, ringOf } from './signing-keys.ts'
import { headerOf } from './token-header.ts'

// With a callback it runs on a thread of the pool.
const sign = promisify(signCallback)

export type TokenSigner = {
  /**
   * The compact form of a token: of a security event (RFC 8417 §2) unless its type is said. The key is that of the
   * organization and purpose, as it was within the last ten seconds; with `isFresh`, as it is now.
   */
  sign(ring: KeyRing, claims: object, now: string, options?: { type?: string; isFresh?: boolean }): Promise<Signed>
  /** Has the next token signed by the key as it is then. */
  forget(ring: KeyRing): void
}

export type Signed = { token: string; kid: string }

type HeldKey = { kid: string; headers: Map<string, string>; privateKey: KeyObject; since: string; until: string }

/** How long a key is used before the database is asked whether another has taken over. */
const heldForMs = 10_000
const maxHeld = 10_000

const nameOf = ({ organizationId, purpose }: KeyRing) => `${organizationId}/${purpose}`

export function tokenSigner(db: Db, secrets: Secrets): TokenSigner {
  const held = new Map<string, HeldKey>()

  async function keyAt(asked: KeyRing, now: string, isFresh: boolean): Promise<HeldKey> {
    const before = held.get(nameOf(asked))
    if (before && isWithin(now, before) && !isFresh) return before
    const ring = await ringOf(db, asked)
    const row = (await findSigningKey(db, ring, now)) ?? (await makeFirst(ring, now))
    const soon = new Date(Date.parse(now) + heldForMs).toISOString()
    const until = row.retired_at !== null && row.retired_at < soon ? row.retired_at : soon
    const key = { ...(before?.kid === row.kid ? before : open(row, ring)), since: now, until }
    if (held.size >= maxHeld) held.clear()
    held.set(nameOf(asked), key)
    return key
  }

  async function makeFirst(ring: KeyRing, now: string) {
    await ensureSigningKey(db, secrets, ring, now)
    const row = await findSigningKey(db, ring, now)
    if (!row) throw new Error('There is no signing key')
    return row
  }

  function open({ kid, sealed_private_key: sealed }: { kid: string; sealed_private_key: Buffer }, ring: KeyRing) {
    const der = unsealPrivateKey(secrets, sealed, { ...ring, kid })
    return { kid, headers: new Map(), privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
  }

  return {
    async sign(ring, claims, now, { type, isFresh = false } = {}) {
      const { kid, headers, privateKey } = await keyAt(ring, now, isFresh)
      const header = headers.get(type ?? '') ?? headerOf(kid, type)
      headers.set(type ?? '', header)
      const signed = `${header}.${encode(claims)}`
      const signature = await sign('RSA-SHA256', Buffer.from(signed), privateKey)
      return { token: `${signed}.${signature.toString('base64url')}`, kid }
    },
    forget: (ring) => {
      held.delete(nameOf(ring))
    },
  }
}

/** Before `since` the clock has been put back: it says nothing of how long the key was held. */
const isWithin = (now: string, { since, until }: HeldKey): boolean => since <= now && now < until

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
