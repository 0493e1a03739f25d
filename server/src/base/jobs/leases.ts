import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/transact.ts'

/** A piece of work of an organization of which one process at a time holds the lease. */
export type WorkKey = { organizationId: string; id: string }

/** Of some organizations, all, or only what a process held that has died. */
export type Scope = readonly string[] | 'all' | 'abandoned'

export type Leases<Claimed extends WorkKey> = {
  /** Takes what is due and held by nobody. */
  claim(holder: string, of: Scope): Promise<Claimed[]>
  /** Lengthens the leases and returns the keys that are still this holder's. */
  renew(holder: string, keys: readonly WorkKey[]): Promise<WorkKey[]>
  release(holder: string, keys: readonly WorkKey[]): Promise<void>
}

/**
 * How long a lease lasts. Another process takes over within this time and one look after the holder has died. Kept by
 * the clock of the database, which all processes share.
 */
export const leaseMs = 6_000
const maxAtOnce = 500

type LeaseTable = {
  /** Has `organization_id`, `leased_by` and `leased_until`; `head` in the expressions below. */
  table: RawBuilder<unknown>
  idColumn: string
  /** Whether there is something to do. */
  isDue: RawBuilder<unknown>
  /** What to return of a claim in addition to the key, with a comma before each. */
  columns: RawBuilder<unknown>
}

export function leasesOn<Claimed extends WorkKey>(db: Db, definition: LeaseTable): Leases<Claimed> {
  const { table, isDue, columns } = definition
  const id = sql.ref(`head.${definition.idColumn}`)
  const bareId = sql.ref(definition.idColumn)
  const until = sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`
  // One that ends later than any lease can was taken while the clock of the database was ahead.
  const isOver = sql`(head.leased_until < clock_timestamp() or head.leased_until > ${until} + interval '1 minute')`
  const key = sql`head.organization_id as "organizationId", ${id} as id`
  const asked = (keys: readonly WorkKey[]) => sql`unnest(
    ${keys.map(({ organizationId }) => organizationId)}::bigint[], ${keys.map((one) => one.id)}::bigint[]
  ) as asked (organization_id, id)`
  const isOwn = (holder: string) =>
    sql`head.organization_id = asked.organization_id and ${id} = asked.id and head.leased_by = ${holder}`

  return {
    async claim(holder, of) {
      const { rows } = await sql<Claimed>`
        update ${table} as head set leased_by = ${holder}, leased_until = ${until}
        from (
          select head.organization_id, ${id} from ${table} as head
          where ${within(of)} and (head.leased_until is null or ${isOver}) and ${isDue}
          limit ${maxAtOnce}
          for no key update of head skip locked
        ) as free
        where head.organization_id = free.organization_id and ${id} = free.${bareId}
        returning ${key} ${columns}
      `.execute(db)
      return rows
    },
    async renew(holder, keys) {
      if (keys.length === 0) return []
      const { rows } = await sql<WorkKey>`
        update ${table} as head set leased_until = ${until}
        from ${asked(keys)} where ${isOwn(holder)} returning ${key}
      `.execute(db)
      return rows
    },
    async release(holder, keys) {
      if (keys.length === 0) return
      await sql`
        update ${table} as head set leased_by = null, leased_until = null from ${asked(keys)} where ${isOwn(holder)}
      `.execute(db)
    },
  }
}

function within(of: Scope): RawBuilder<unknown> {
  if (of === 'all') return sql`true`
  return of === 'abandoned' ? sql`head.leased_by is not null` : sql`head.organization_id = any(${of}::bigint[])`
}
