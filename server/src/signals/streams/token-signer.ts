import { createPrivateKey, type KeyObject, sign as signCallback } from 'node:crypto'
import { promisify } from 'node:util'
import type { Db } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { unsealPrivateKey } from '../../keys/seal-private-key.ts'
import { findSigningKey, type KeyRing } from '../../keys/signing-keys.ts'
import { headerOf } from './token-header.ts'

// With a callback it runs on a thread of the pool.
const sign = promisify(signCallback)

export type TokenSigner = {
  /**
   * The compact form of a token: of a security event (RFC 8417 §2) unless its type is said. The key is that of the
   * organization and purpose, as it was within the last ten seconds; with `isFresh`, as it is now.
   */
  sign(ring: KeyRing, claims: object, now: string, options?: { type?: string; isFresh?: boolean }): Promise<Signed>
  /** The token of an event by the key that it names, which may have retired. Fails where the key is not there. */
  signAgain(event: NamedEvent, claims: () => object): Promise<string>
  /** Has the next token signed by the key as it is then. */
  forget(ring: KeyRing): void
}

type NamedEvent = { organizationId: string; kid: string; jti: string }

export type Signed = { token: string; kid: string }

type OpenKey = { kid: string; headers: Map<string, string>; privateKey: KeyObject }
type HeldKey = OpenKey & { since: string; until: string }

/** How long a key is used before the database is asked whether another has taken over. */
const heldForMs = 10_000
const maxHeld = 10_000

/** Tokens of receivers that poll again and again without acknowledging: about 16 MB. */
const maxRemembered = 10_000

const nameOf = ({ organizationId, purpose }: KeyRing) => `${organizationId}/${purpose}`

export function tokenSigner(db: Db, secrets: Secrets): TokenSigner {
  const held = new Map<string, HeldKey>()
  const former = new Map<string, Promise<OpenKey>>()
  const remembered = new Map<string, string>()

  async function keyAt(ring: KeyRing, now: string, isFresh: boolean): Promise<HeldKey> {
    const before = held.get(nameOf(ring))
    if (before && isWithin(now, before) && !isFresh) return before
    const row = (await findSigningKey(db, ring, now)) ?? (await makeFirst(ring, now))
    const soon = new Date(Date.parse(now) + heldForMs).toISOString()
    const until = row.retired_at !== null && row.retired_at < soon ? row.retired_at : soon
    const key = { ...(before?.kid === row.kid ? before : open(row, ring)), since: now, until }
    if (held.size >= maxHeld) held.clear()
    held.set(nameOf(ring), key)
    return key
  }

  async function makeFirst(ring: KeyRing, now: string) {
    await ensureSigningKey(db, secrets, ring, now)
    const row = await findSigningKey(db, ring, now)
    if (!row) throw new Error('There is no signing key')
    return row
  }

  /** A key never changes, so it is held for as long as there is room. */
  function keyNamed({ organizationId, kid }: NamedEvent): Promise<OpenKey> {
    const before = former.get(kid)
    if (before) return before
    if (former.size >= maxHeld) former.clear()
    const opening = openNamed(organizationId, kid)
    former.set(kid, opening)
    opening.catch(() => former.delete(kid))
    return opening
  }

  async function openNamed(organizationId: string, kid: string): Promise<OpenKey> {
    const row = await db
      .selectFrom('signing_keys')
      .select(['kid', 'sealed_private_key'])
      .where('organization_id', '=', organizationId)
      .where('purpose', '=', 'signals')
      .where('kid', '=', kid)
      .executeTakeFirst()
    if (!row) throw new Error(`There is no signing key ${kid}`)
    return open(row, { organizationId, purpose: 'signals' })
  }

  function open({ kid, sealed_private_key: sealed }: { kid: string; sealed_private_key: Buffer }, ring: KeyRing) {
    const der = unsealPrivateKey(secrets, sealed, { ...ring, kid })
    return { kid, headers: new Map(), privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
  }

  /** Those that were first remembered. */
  function forgetOldest(): void {
    for (const name of remembered.keys().take(maxRemembered / 10)) remembered.delete(name)
  }

  return {
    async sign(ring, claims, now, { type, isFresh = false } = {}) {
      const key = await keyAt(ring, now, isFresh)
      return { token: await signBy(key, claims, type), kid: key.kid }
    },
    async signAgain(event, claims) {
      const name = `${event.jti} ${event.kid}`
      const before = remembered.get(name)
      if (before !== undefined) return before
      const token = await signBy(await keyNamed(event), claims())
      if (remembered.size >= maxRemembered) forgetOldest()
      remembered.set(name, token)
      return token
    },
    forget: (ring) => {
      held.delete(nameOf(ring))
    },
  }
}

async function signBy({ kid, headers, privateKey }: OpenKey, claims: object, type?: string): Promise<string> {
  const header = headers.get(type ?? '') ?? headerOf(kid, type)
  headers.set(type ?? '', header)
  const signed = `${header}.${encode(claims)}`
  const signature = await sign('RSA-SHA256', Buffer.from(signed), privateKey)
  return `${signed}.${signature.toString('base64url')}`
}

/** Before `since` the clock has been put back: it says nothing of how long the key was held. */
const isWithin = (now: string, { since, until }: HeldKey): boolean => since <= now && now < until

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
