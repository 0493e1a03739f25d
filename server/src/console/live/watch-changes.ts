import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../base/db/transact.ts'
import { changedTopics, type Marks, readMarks, type Topic } from './read-marks.ts'

type Listener = (changed: readonly Topic[]) => void

type Watched = { readonly listeners: Set<Listener>; readonly stopping: AbortController }

export type ChangeWatch = {
  /** Hears of an organization's changes until what is returned is called. */
  listen(organizationId: string, listener: Listener): () => void
  stop(): void
}

/**
 * Looks for changes once a pause for each organization that someone is looking at, however many they are, and not at
 * all for others. Looking costs the writers nothing: a NOTIFY in each of their transactions would make them commit one
 * after the other.
 */
export function openChangeWatch(
  db: Db,
  { everyMs, onError }: { everyMs: number; onError: (error: unknown) => void },
): ChangeWatch {
  const watched = new Map<string, Watched>()

  async function look(organizationId: string, { listeners, stopping }: Watched): Promise<void> {
    let before: Marks | undefined
    while (!stopping.signal.aborted) {
      try {
        const marks = await readMarks(db, organizationId)
        const changed = before === undefined ? [] : changedTopics(before, marks)
        before = marks
        if (changed.length > 0) for (const listener of listeners) listener(changed)
      } catch (error) {
        onError(error)
      }
      await pause(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }

  return {
    listen(organizationId, listener) {
      let entry = watched.get(organizationId)
      if (!entry) {
        entry = { listeners: new Set(), stopping: new AbortController() }
        watched.set(organizationId, entry)
        void look(organizationId, entry)
      }
      const { listeners, stopping } = entry
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0 || watched.get(organizationId)?.listeners !== listeners) return
        watched.delete(organizationId)
        stopping.abort()
      }
    },
    stop() {
      for (const { stopping } of watched.values()) stopping.abort()
      watched.clear()
    },
  }
}
