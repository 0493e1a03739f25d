import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { hourMs } from '../../base/time.ts'

type Row = {
  horizon: string
  transaction: string | null
  organization_id: string | null
  id: string | null
  device_id: string | null
}

export type NoticeFollower = {
  /** Takes in what was committed since the last poll. Rejects when the database does not answer. */
  poll: () => Promise<void>
}

export type OnNotices = {
  onNotice: (organizationId: string, deviceId: string | null) => void
  /** Called when notices may have been missed. */
  onGap: () => void
}

/** Notices are kept this long; a process that could not read for longer has missed some. */
export const noticeLifeMs = hourMs
const safeGapMs = noticeLifeMs / 2

/**
 * Follows the notices by transaction number: everything older than the horizon, the oldest transaction still open at
 * a poll, was visible then, and everything from there on is read again, so that a row which commits late is not
 * skipped. What was read already is remembered for as long as it lies beyond the horizon.
 */
export function followNotices(db: Db, nowMs: () => number, { onNotice, onGap }: OnNotices): NoticeFollower {
  let horizon: string | undefined
  let polledAtMs = nowMs()
  let taken = new Set<string>()

  async function poll(): Promise<void> {
    const startedAtMs = nowMs()
    const rows = await readNotices(db, horizon)
    const next = rows[0]?.horizon ?? '0'
    // A horizon that falls back is that of another database: one restored from a copy.
    const isGap = startedAtMs - polledAtMs > safeGapMs || (horizon !== undefined && BigInt(next) < BigInt(horizon))
    const isFirst = horizon === undefined
    const seen = new Set<string>()
    for (const { transaction, organization_id: organizationId, id, device_id: deviceId } of rows) {
      if (organizationId === null) continue
      const key = `${transaction}/${organizationId}/${id}`
      seen.add(key)
      if (!isFirst && !taken.has(key)) onNotice(organizationId, deviceId)
    }
    if (isGap) onGap()
    horizon = next
    polledAtMs = startedAtMs
    taken = seen
  }

  return { poll }
}

/** One row without a notice when there is none, since the horizon is wanted all the same. */
async function readNotices(db: Db, horizon: string | undefined): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select snapshot.horizon::text, notice.transaction::text, notice.organization_id, notice.id, notice.device_id
    from (select pg_snapshot_xmin(pg_current_snapshot()) as horizon) as snapshot
    left join agent_notices as notice on notice.transaction >= coalesce(${horizon ?? null}::xid8, snapshot.horizon)
  `.execute(db)
  return rows
}
