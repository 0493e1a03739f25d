import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/transact.ts'
import { readMarks, type Watched } from './session-marks.ts'

type Listener = (mark: string) => void
type Entry = Watched & { mark: string | undefined; listeners: Set<Listener> }

export type SessionWatch = ReturnType<typeof openSessionWatch>

const everyMs = 300
/** More pages than this are not followed by one process; the others ask by themselves. */
const maxWatched = 2_000

/**
 * Follows the sign-ins whose pages are open at this process: one statement for all of them, three times a second, and none
 * where no page is open. What another process writes is seen the same way.
 */
export function openSessionWatch(db: Db, clock: Clock, onError: (error: unknown) => void) {
  const entries = new Map<string, Entry>()
  const stopping = new AbortController()
  let isLooking = false

  async function look(): Promise<void> {
    isLooking = true
    while (entries.size > 0 && !stopping.signal.aborted) {
      try {
        const marks = await readMarks(db, [...entries.values()], clock())
        for (const entry of entries.values()) tell(entry, marks.get(entry.id) ?? 'gone')
      } catch (error) {
        onError(error)
      }
      await pause(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
    isLooking = false
  }

  function tell(entry: Entry, mark: string): void {
    // A page that has just come has read what there was, or reads it with the first mark.
    if (entry.mark === mark) return
    entry.mark = mark
    for (const listener of entry.listeners) listener(mark)
  }

  return {
    /** Hears of each change of a sign-in until what is returned is called; undefined when too many are followed. */
    listen({ organizationId, id }: Watched, listener: Listener): (() => void) | undefined {
      const entry = entries.get(id) ?? { organizationId, id, mark: undefined, listeners: new Set() }
      if (!entries.has(id) && (entries.size >= maxWatched || stopping.signal.aborted)) return undefined
      entries.set(id, entry)
      entry.listeners.add(listener)
      if (!isLooking) void look()
      return () => {
        entry.listeners.delete(listener)
        if (entry.listeners.size === 0) entries.delete(id)
      }
    },
    stop(): void {
      stopping.abort()
      entries.clear()
    },
  }
}
