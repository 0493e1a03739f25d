import type { Db } from '../../../src/db/transact.ts'
import { type Arrival, digestOf, type StreamLog } from './arrival.ts'
import { txnOf } from './device-histories.ts'

type Event = { jti: string; state: string; digest: string; txn: string }

/** What is against the guarantees, in sentences; and how much there was. */
export async function checkLogs(db: Db, logs: readonly StreamLog[], histories: ReadonlyMap<string, number>) {
  const expected = [...histories].flatMap(([deviceId, steps]) =>
    Array.from({ length: steps }, (_, index) => txnOf(deviceId, index + 1)),
  )
  const checked: (ReturnType<typeof countRepeats> & { events: number; faults: string[] })[] = []
  for (const log of logs) {
    const ledger = new Map((await readLedger(db, log.streamId)).map((event) => [event.jti, event]))
    const told = countRepeats(log.arrivals)
    const faults = [
      ...log.faults,
      ...checkLedger(ledger, expected),
      ...checkOutcomes(ledger, log),
      ...checkBytes(ledger, log.arrivals),
      ...checkOrder(log.arrivals),
    ]
    checked.push({
      ...told,
      events: ledger.size,
      faults: faults.map((fault) => `${log.kind} ${log.streamId}: ${fault}`),
    })
  }
  const sum = (name: 'events' | 'sends' | 'afterCut' | 'afterAnswer' | 'refused' | 'rejected') =>
    checked.reduce((total, told) => total + told[name], 0)
  return {
    faults: checked.flatMap(({ faults }) => faults),
    counts: {
      changes: expected.length,
      events: sum('events'),
      sends: sum('sends'),
      refused: sum('refused'),
      rejected: sum('rejected'),
      afterCut: sum('afterCut'),
      afterAnswer: sum('afterAnswer'),
    },
  }
}

async function readLedger(db: Db, streamId: string): Promise<Event[]> {
  const rows = await db
    .selectFrom('ssf_stream_events as event')
    .innerJoin('ssf_signals as signal', (join) =>
      join
        .onRef('signal.organization_id', '=', 'event.organization_id')
        .onRef('signal.id', '=', 'event.signal_id')
        .on('signal.kind', '=', 'compliance_change'),
    )
    .select(['event.jti', 'event.state', 'event.token', 'signal.txn'])
    .where('event.stream_id', '=', streamId)
    .execute()
  return rows.map(({ token, ...row }) => ({ ...row, digest: digestOf(token ?? '') }))
}

/** Each step of each history is in the ledger of each stream, once, and nothing else. */
function checkLedger(ledger: ReadonlyMap<string, Event>, expected: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const { txn } of ledger.values()) counts.set(txn, (counts.get(txn) ?? 0) + 1)
  const lacking = expected.filter((txn) => !counts.has(txn)).map((txn) => `${txn} is lost`)
  const known = new Set(expected)
  const odd = [...counts].flatMap(([txn, count]) => {
    if (!known.has(txn)) return [`${txn} is invented`]
    return count > 1 ? [`${txn} is told ${count} times`] : []
  })
  return [...lacking, ...odd]
}

const settledAs = { push: 'delivered', poll: 'acknowledged' } as const

/** What the ledger calls settled, the receiver has answered so. */
function checkOutcomes(ledger: ReadonlyMap<string, Event>, { kind, arrivals }: StreamLog): string[] {
  const answered = Map.groupBy(arrivals, ({ jti }) => jti)
  return [...ledger.values()].flatMap(({ jti, txn, state }) => {
    const was = answered.get(jti) ?? []
    if (state === settledAs[kind] && was.some(({ what }) => what === 'taken')) return []
    if (state === 'rejected' && was.some(({ what }) => what === 'rejected')) return []
    return [`${txn} is ${state}, and arrived as: ${was.map(({ what }) => what).join(', ') || 'nothing'}`]
  })
}

function checkBytes(ledger: ReadonlyMap<string, Event>, arrivals: readonly Arrival[]): string[] {
  return arrivals.flatMap(({ jti, digest }) => {
    const event = ledger.get(jti)
    if (!event) return [`${jti} is not in the ledger`]
    return event.digest === digest ? [] : [`${event.txn} arrived in other bytes`]
  })
}

/** By first arrival, the steps of each device follow one another. */
function checkOrder(arrivals: readonly Arrival[]): string[] {
  const seen = new Set<string>()
  const last = new Map<string, number>()
  return arrivals.flatMap(({ jti, txn }) => {
    if (seen.has(jti)) return []
    seen.add(jti)
    const [deviceId = '', step] = txn.split('-')
    const before = last.get(deviceId) ?? 0
    last.set(deviceId, Number(step))
    return Number(step) === before + 1 ? [] : [`step ${step} of device ${deviceId} arrived after ${before}`]
  })
}

/** Repeats of what the receiver had cut itself, and of what it had answered to the end. */
function countRepeats(arrivals: readonly Arrival[]) {
  const last = new Map<string, Arrival['what']>()
  const told = { sends: arrivals.length, refused: 0, rejected: 0, afterCut: 0, afterAnswer: 0 }
  for (const { jti, what } of arrivals) {
    const before = last.get(jti)
    if (before === 'cut') told.afterCut += 1
    if (before === 'taken' || before === 'rejected') told.afterAnswer += 1
    if (what === 'refused') told.refused += 1
    if (what === 'rejected') told.rejected += 1
    last.set(jti, what)
  }
  return told
}
