import type { Db } from '../../base/db/transact.ts'
import { idBeforeLatest, type LedgerRow, listLedgerAfter } from '../../signals/streams/ledger/queries.ts'
import type { Stream } from '../../signals/streams/queries.ts'

/** Entries that are read again at each look: one of them may have been committed late, or have been delivered. */
const readAgain = 200
const pageSize = 1_000

/** Each call returns the entries that are new or have changed since they were last returned. */
export function followStream(db: Db, { organization_id: organizationId, id: streamId }: Stream, last: number) {
  const told = new Map<string, string>()
  let isBegun = false

  async function listFrom(from: string): Promise<LedgerRow[]> {
    const rows: LedgerRow[] = []
    for (;;) {
      const afterId = rows.at(-1)?.id ?? from
      const page = await listLedgerAfter(db, { organizationId, streamId, afterId, limit: pageSize })
      rows.push(...page)
      if (page.length < pageSize) return rows
    }
  }

  async function begin(): Promise<void> {
    const before = await idBeforeLatest(db, organizationId, streamId, last)
    for (const row of await listFrom(await idBeforeLatest(db, organizationId, streamId, readAgain))) {
      if (BigInt(row.id) <= BigInt(before)) told.set(row.id, standingOf(row))
    }
    isBegun = true
  }

  return async (): Promise<LedgerRow[]> => {
    if (!isBegun) await begin()
    const rows = await listFrom([...told.keys()].at(-readAgain) ?? '0')
    const fresh = rows.filter((row) => told.get(row.id) !== standingOf(row))
    for (const row of fresh) told.set(row.id, standingOf(row))
    for (const id of [...told.keys()].slice(0, -2 * readAgain)) told.delete(id)
    return fresh
  }
}

const standingOf = ({ state, attempts, sequence }: LedgerRow): string => `${state} ${attempts} ${sequence !== null}`
