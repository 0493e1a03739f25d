import { sql } from 'kysely'
import { type Db, transact } from '../../src/base/db/transact.ts'
import { lockHeads, numbering, type StreamKey } from '../../src/signals/streams/number-events.ts'

/** Numbers the queued events of streams, as handing them out does, and returns how many. */
export const numberEvents = (db: Db, streams: readonly StreamKey[]): Promise<number> =>
  transact(db, async (tx) => {
    // Locked by a statement of its own, so that the next one sees what the last holder of the locks has numbered.
    const locked = await lockHeads(tx, streams)
    if (locked.length === 0) return 0
    const { rows } = await sql<{ count: string }>`
      with ${numbering(locked)} select count(*) as count from fresh
    `.execute(tx)
    return Number(rows[0]?.count)
  })
