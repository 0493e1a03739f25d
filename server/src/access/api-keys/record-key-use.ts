import type { Permission } from '@muster/contract/permissions.ts'
import { sql } from 'kysely'
import type { Principal } from '../../base/callers.ts'
import type { Db } from '../../base/db/transact.ts'

export type KeyUses = {
  /** Remembers that the key was used now; costs no statement. */
  note(principal: Principal): void
  /** The same of a permission that a request of the key needed. */
  notePermission(principal: Principal, permission: Permission): void
  /** Writes what was noted since the last time. Notes of a failed write are kept for the next. */
  flush(): Promise<void>
}

type Use = {
  readonly organizationId: string
  readonly keyId: string
  usedAt: string
  readonly permissions: Map<string, string>
}

/** Collects the last use of keys, so that it costs one write for all of them now and then. */
export function collectKeyUses(db: Db, clock: () => string): KeyUses {
  let uses = new Map<string, Use>()

  function useOf({ organizationId, keyId }: Principal): Use {
    const place = `${organizationId}/${keyId}`
    const usedAt = clock()
    const use = uses.get(place) ?? { organizationId, keyId, usedAt, permissions: new Map() }
    use.usedAt = usedAt
    uses.set(place, use)
    return use
  }

  return {
    note: (principal) => {
      useOf(principal)
    },
    notePermission(principal, permission) {
      const { permissions, usedAt } = useOf(principal)
      permissions.set(permission, usedAt)
    },
    async flush() {
      if (uses.size === 0) return
      const noted = uses
      uses = new Map()
      try {
        await writeKeyUses(db, [...noted.values()])
      } catch (error) {
        uses = merged(noted, uses)
        throw error
      }
    },
  }
}

/** What was noted while a write failed is the later. */
function merged(earlier: ReadonlyMap<string, Use>, later: ReadonlyMap<string, Use>): Map<string, Use> {
  const both = new Map([...earlier, ...later])
  for (const [place, use] of later) {
    const permissions = new Map([...(earlier.get(place)?.permissions ?? []), ...use.permissions])
    both.set(place, { ...use, permissions })
  }
  return both
}

/** Processes write in any order: the later use of each stays. Times are in one form, so that they compare as text. */
async function writeKeyUses(db: Db, uses: readonly Use[]): Promise<void> {
  await sql`
    update api_keys set last_used_at = greatest(api_keys.last_used_at, used.at),
      permission_uses = case when used.permissions = '{}' then api_keys.permission_uses else (
        select jsonb_object_agg(key, at) from (
          select key, max(value collate "C") as at from (
            select * from jsonb_each_text(api_keys.permission_uses)
            union all select * from jsonb_each_text(used.permissions)
          ) as told group by key
        ) as latest) end
    from (select organization_id, api_key_id, at, permissions::jsonb as permissions from unnest(
      ${uses.map(({ organizationId }) => organizationId)}::bigint[],
      ${uses.map(({ keyId }) => keyId)}::bigint[],
      ${uses.map(({ usedAt }) => usedAt)}::timestamptz[],
      ${uses.map(({ permissions }) => JSON.stringify(Object.fromEntries(permissions)))}::text[]
    ) as noted (organization_id, api_key_id, at, permissions)) as used
    where api_keys.organization_id = used.organization_id and api_keys.id = used.api_key_id`.execute(db)
}
