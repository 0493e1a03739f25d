import { sql } from 'kysely'
import type { Db } from '../db/transact.ts'
import type { Principal } from './principal.ts'

export type KeyUses = {
  /** Remembers that the key was used now; costs no statement. */
  note(principal: Principal): void
  /** Writes what was noted since the last time. Notes of a failed write are kept for the next. */
  flush(): Promise<void>
}

type Use = { organizationId: string; keyId: string; usedAt: string }

/** Collects the last use of keys, so that it costs one write for all of them now and then. */
export function collectKeyUses(db: Db, clock: () => string): KeyUses {
  let uses = new Map<string, Use>()
  return {
    note: ({ organizationId, keyId }) => {
      uses.set(`${organizationId}/${keyId}`, { organizationId, keyId, usedAt: clock() })
    },
    async flush() {
      if (uses.size === 0) return
      const noted = uses
      uses = new Map()
      try {
        await writeKeyUses(db, [...noted.values()])
      } catch (error) {
        uses = new Map([...noted, ...uses])
        throw error
      }
    },
  }
}

async function writeKeyUses(db: Db, uses: readonly Use[]): Promise<void> {
  await sql`
    update api_keys set last_used_at = greatest(api_keys.last_used_at, used.at)
    from unnest(
      ${uses.map(({ organizationId }) => organizationId)}::bigint[],
      ${uses.map(({ keyId }) => keyId)}::bigint[],
      ${uses.map(({ usedAt }) => usedAt)}::timestamptz[]
    ) as used (organization_id, api_key_id, at)
    where api_keys.organization_id = used.organization_id and api_keys.id = used.api_key_id`.execute(db)
}
