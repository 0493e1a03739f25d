import { sign as signCallback } from 'node:crypto'
import { promisify } from 'node:util'
import type { Db } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { heldKeys, type OpenKey } from '../../keys/held-keys.ts'
import type { KeyRing } from '../../keys/key-purposes.ts'
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

/** Tokens of receivers that poll again and again without acknowledging: about 16 MB. */
const maxRemembered = 10_000

export function tokenSigner(db: Db, secrets: Secrets): TokenSigner {
  const keys = heldKeys(db, secrets)
  const remembered = new Map<string, string>()

  /** Those that were first remembered. */
  function forgetOldest(): void {
    for (const name of remembered.keys().take(maxRemembered / 10)) remembered.delete(name)
  }

  return {
    async sign(ring, claims, now, { type, isFresh = false } = {}) {
      const key = await keys.signing(ring, now, isFresh)
      return { token: await signBy(key, claims, type), kid: key.kid }
    },
    async signAgain({ organizationId, kid, jti }, claims) {
      const name = `${jti} ${kid}`
      const before = remembered.get(name)
      if (before !== undefined) return before
      const token = await signBy(await keys.named({ organizationId, purpose: 'signals' }, kid), claims())
      if (remembered.size >= maxRemembered) forgetOldest()
      remembered.set(name, token)
      return token
    },
    forget: (ring) => keys.forget(ring),
  }
}

async function signBy({ kid, privateKey }: OpenKey, claims: object, type?: string): Promise<string> {
  const signed = `${headerOf(kid, type)}.${encode(claims)}`
  const signature = await sign('RSA-SHA256', Buffer.from(signed), privateKey)
  return `${signed}.${signature.toString('base64url')}`
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
