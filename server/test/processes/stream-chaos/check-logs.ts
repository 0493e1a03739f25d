import type { Db } from '../../../src/db/transact.ts'
import { digestOf, type StreamLog } from './arrival.ts'
import { checkLog, type LedgerEvent, type LogCounts } from './check-log.ts'
import { txnOf } from './device-histories.ts'

type Place = { db: Db; organizationId: string }

/** What of the logs is against the guarantees, and how much of everything there was, by the kind of the streams. */
export async function checkLogs(place: Place, logs: readonly StreamLog[], histories: ReadonlyMap<string, number>) {
  const changes = [...histories].flatMap(([deviceId, steps]) =>
    Array.from({ length: steps }, (_, index) => txnOf(deviceId, index + 1)),
  )
  const faults: string[] = []
  const counts = { changes: changes.length, push: none(), poll: none() }
  for (const log of logs) {
    const checked = checkLog(log, await readLedger(place, log.streamId), changes)
    faults.push(...checked.faults)
    counts[log.kind] = sum(counts[log.kind], checked.counts)
  }
  return { faults, counts }
}

const none = (): LogCounts => ({ events: 0, sends: 0, refused: 0, rejected: 0, afterCut: 0, afterAnswer: 0 })

const sum = (one: LogCounts, other: LogCounts): LogCounts => ({
  events: one.events + other.events,
  sends: one.sends + other.sends,
  refused: one.refused + other.refused,
  rejected: one.rejected + other.rejected,
  afterCut: one.afterCut + other.afterCut,
  afterAnswer: one.afterAnswer + other.afterAnswer,
})

/** A page at a time: no statement may take as long as all of an hour's would. */
async function readLedger({ db, organizationId }: Place, streamId: string): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = []
  for (let after = '0'; ; ) {
    const rows = await db
      .selectFrom('ssf_stream_events as event')
      .innerJoin('ssf_signals as signal', (join) =>
        join
          .onRef('signal.organization_id', '=', 'event.organization_id')
          .onRef('signal.id', '=', 'event.signal_id')
          .on('signal.kind', '=', 'compliance_change'),
      )
      .select(['event.id', 'event.jti', 'event.state', 'event.token', 'signal.txn'])
      .where('event.organization_id', '=', organizationId)
      .where('event.stream_id', '=', streamId)
      .where('event.id', '>', after)
      .orderBy('event.id')
      .limit(2_000)
      .execute()
    events.push(...rows.map(({ id: _, token, ...row }) => ({ ...row, digest: digestOf(token ?? '') })))
    const last = rows.at(-1)
    if (!last) return events
    after = last.id
  }
}
