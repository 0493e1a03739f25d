import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { KeyPurpose } from '../base/db/schema.ts'
import type { Db } from '../base/db/transact.ts'
import type { Secrets } from '../base/secrets/secrets.ts'
import type { KeyRing, PublishedKey } from './key-purposes.ts'
import { ensureSigningKey, nameByThumbprint } from './rotate-signing-key.ts'
import { unsealPrivateKey } from './seal-private-key.ts'
import { isNamedOtherwise, listRing, presentSet, type RingRow } from './signing-keys.ts'

export type OpenKey = { kid: string; privateKey: KeyObject }

export type HeldKeys = {
  /** The key that signs, as it was within the last ten seconds; with `isFresh`, as it is now. Where there is none, it is made. */
  signing(ring: KeyRing, now: string, isFresh?: boolean): Promise<OpenKey>
  /** The published set, as it was within the last ten seconds. Where there is no key that signs, it is made. */
  published<Purpose extends KeyPurpose>(ring: KeyRing<Purpose>, now: string): Promise<PublishedKey<Purpose>[]>
  /** The key of this name, which may have retired. Fails where it is not there. */
  named(ring: KeyRing, kid: string): Promise<OpenKey>
  /** Has the database asked the next time. */
  forget(ring: KeyRing): void
}

type HeldRing = { signing: OpenKey; rows: readonly RingRow[]; since: string; until: string }

/** How long keys are used before the database is asked whether another has taken over. */
const heldForMs = 10_000
const maxHeld = 10_000

const nameOf = ({ organizationId, purpose }: KeyRing) => `${organizationId}/${purpose}`

/** The one place that holds opened keys. */
export function heldKeys(db: Db, secrets: Secrets): HeldKeys {
  const held = new Map<string, HeldRing>()
  const byName = new Map<string, Promise<OpenKey>>()

  async function ringAt(ring: KeyRing, now: string, isFresh = false): Promise<HeldRing> {
    const before = held.get(nameOf(ring))
    if (before && isWithin(now, before) && !isFresh) return before
    let rows = await listRing(db, ring, now)
    if (!signingOf(rows, now)) {
      await ensureSigningKey(db, secrets, ring, now)
      rows = await listRing(db, ring, now)
    }
    if (isNamedOtherwise(rows)) {
      await nameByThumbprint(db, secrets, ring, now)
      rows = await listRing(db, ring, now)
    }
    const row = signingOf(rows, now)
    if (!row) throw new Error('There is no signing key')
    const soon = new Date(Date.parse(now) + heldForMs).toISOString()
    const until = row.retired_at !== null && row.retired_at < soon ? row.retired_at : soon
    const signing = before?.signing.kid === row.kid ? before.signing : open(row, ring)
    const found = { signing, rows, since: now, until }
    if (held.size >= maxHeld) held.clear()
    held.set(nameOf(ring), found)
    return found
  }

  const open = ({ kid, sealed_private_key: sealed }: Pick<RingRow, 'kid' | 'sealed_private_key'>, ring: KeyRing) => {
    const der = unsealPrivateKey(secrets, sealed, { ...ring, kid })
    return { kid, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
  }

  async function openNamed(ring: KeyRing, kid: string): Promise<OpenKey> {
    const row = await db
      .selectFrom('signing_keys')
      .select(['kid', 'sealed_private_key'])
      .where('organization_id', '=', ring.organizationId)
      .where('purpose', '=', ring.purpose)
      .where('kid', '=', kid)
      .executeTakeFirst()
    if (!row) throw new Error(`There is no signing key ${kid}`)
    return open(row, ring)
  }

  return {
    signing: async (ring, now, isFresh) => (await ringAt(ring, now, isFresh)).signing,
    published: async (ring, now) => presentSet(ring, (await ringAt(ring, now)).rows),
    named(ring, kid) {
      const name = `${nameOf(ring)}/${kid}`
      const before = byName.get(name)
      if (before) return before
      // A key never changes, so it is held for as long as there is room.
      if (byName.size >= maxHeld) byName.clear()
      const opening = openNamed(ring, kid)
      byName.set(name, opening)
      opening.catch(() => byName.delete(name))
      return opening
    },
    forget: (ring) => {
      held.delete(nameOf(ring))
    },
  }
}

const signingOf = (rows: readonly RingRow[], now: string): RingRow | undefined =>
  rows.find(({ active_from: from, retired_at: until }) => from <= now && (until === null || until > now))

/** Before `since` the clock has been put back: it says nothing of how long the keys were held. */
const isWithin = (now: string, { since, until }: HeldRing): boolean => since <= now && now < until
