import { standInVersion } from '../linux/agent-itself.ts'
import { asctime } from '../linux/clock.ts'

type Rows = Record<string, string>[]

export type LineHead = { hostIdentifier: string; now: Date }

/** What a differential query answered before, as text, and how often it has changed since. */
export type Previous = { rows: Set<string>; counter: number }

const stamp = ({ hostIdentifier, now }: LineHead) => ({
  hostIdentifier,
  calendarTime: asctime(now),
  unixTime: Math.floor(now.getTime() / 1000),
})

/** One line with the whole set. */
export function snapshotLine(head: LineHead, name: string, rows: Rows): string {
  const fields = { epoch: 0, counter: 0, numerics: false, decorations: {}, action: 'snapshot', snapshot: rows }
  return JSON.stringify({ name, ...stamp(head), ...fields })
}

/** One line for each row that came or went since `previous`; counter 0 is the first full set. */
export function differentialLines(
  head: LineHead,
  name: string,
  rows: Rows,
  previous: Previous | undefined,
): { lines: string[]; next: Previous } {
  const now = new Set(rows.map((row) => JSON.stringify(row)))
  const before = previous?.rows ?? new Set<string>()
  const counter = previous ? previous.counter + 1 : 0
  const line = (action: 'added' | 'removed', row: string) => {
    const fields = { epoch: 0, counter, numerics: false, decorations: {}, action, columns: JSON.parse(row) as unknown }
    return JSON.stringify({ name, ...stamp(head), ...fields })
  }
  const added = [...now].filter((row) => !before.has(row)).map((row) => line('added', row))
  const removed = [...before].filter((row) => !now.has(row)).map((row) => line('removed', row))
  const changed = added.length + removed.length > 0
  return {
    lines: [...removed, ...added],
    next: { rows: now, counter: changed || !previous ? counter : previous.counter },
  }
}

/** A status line; severity 1 is a warning. */
export function statusLine(head: LineHead, message: string): string {
  const fields = { severity: 1, filename: 'scheduler.ts', line: 0, message, version: standInVersion, decorations: {} }
  return JSON.stringify({ ...stamp(head), ...fields })
}
