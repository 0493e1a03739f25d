import type { Arrival, ReceiverLog } from './arrival.ts'

/** What the ledger of the product says of a change. */
export type LedgerEvent = {
  jti: string
  state: string
  digest: string
  txn: string
  /** Statuses of the attempts that the log of a webhook has, null without an answer. */
  answers?: readonly (number | null)[]
}

export type LogCounts = ReturnType<typeof countRepeats> & { events: number }

/** What is against the guarantees, in sentences, when these changes and no others happened; and how much there was. */
export function checkLog(log: ReceiverLog, events: readonly LedgerEvent[], changes: readonly string[]) {
  const ledger = new Map(events.map((event) => [event.jti, event]))
  const faults = [
    ...log.faults,
    ...checkLedger(ledger, changes),
    ...checkOutcomes(ledger, log),
    ...checkAnswers(ledger, log.arrivals),
    ...checkBytes(ledger, log.arrivals),
    ...checkOrder(log.arrivals),
  ]
  const counts: LogCounts = { ...countRepeats(log.arrivals), events: ledger.size }
  return { faults: faults.map((fault) => `${log.kind} ${log.id}: ${fault}`), counts }
}

/** Each step of each history is in the ledger of each stream, once, and nothing else. */
function checkLedger(ledger: ReadonlyMap<string, LedgerEvent>, expected: readonly string[]): string[] {
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

const settledAs = { push: 'delivered', poll: 'acknowledged', hook: 'delivered' } as const

/** What the ledger calls settled, the receiver has answered so. */
function checkOutcomes(ledger: ReadonlyMap<string, LedgerEvent>, { kind, arrivals }: ReceiverLog): string[] {
  const answered = Map.groupBy(arrivals, ({ jti }) => jti)
  return [...ledger.values()].flatMap(({ jti, txn, state }) => {
    const was = answered.get(jti) ?? []
    if (state === settledAs[kind] && was.some(({ what }) => what === 'taken')) return []
    if (state === 'rejected' && was.some(({ what }) => what === 'rejected')) return []
    return [`${txn} is ${state}, and arrived as: ${was.map(({ what }) => what).join(', ') || 'nothing'}`]
  })
}

/** Each answer in the log of webhooks was given, as often; what came of a request before a kill may be missing there. */
function checkAnswers(ledger: ReadonlyMap<string, LedgerEvent>, arrivals: readonly Arrival[]): string[] {
  const arrived = Map.groupBy(arrivals, ({ jti }) => jti)
  return [...ledger.values()].flatMap(({ jti, txn, answers = [] }) => {
    const given = (arrived.get(jti) ?? []).map(({ status }) => status)
    return answers.flatMap((answer) => {
      if (answer === null) return []
      const at = given.indexOf(answer)
      if (at === -1) return [`${txn} was answered ${answer} by nobody`]
      given.splice(at, 1)
      return []
    })
  })
}

function checkBytes(ledger: ReadonlyMap<string, LedgerEvent>, arrivals: readonly Arrival[]): string[] {
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
