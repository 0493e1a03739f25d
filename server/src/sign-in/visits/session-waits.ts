import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/transact.ts'
import { networkOf } from '../../base/network-of.ts'
import { waitUntilTold } from '../../base/wait-until-told.ts'
import type { SignInSession } from '../sessions/session-queries.ts'
import { readMarks, type Watched } from './session-marks.ts'
import { waitingPlaces } from './waiting-places.ts'

type Listener = (mark: string) => void
type Waiting = Pick<SignInSession, 'id' | 'organization_id' | 'evidence'>

const lookEveryMs = 300
const waitSeconds = 25
/** Sign-ins whose pages wait at one process, by whether somebody has signed for the person. Pages of others ask by themselves. */
const maxWatched = { asserted: 1_500, others: 500 }
const maxOfSession = 2
/** Pages of one network whose people nobody has signed for. */
const maxOfNetwork = 6

/**
 * Holds the requests of pages until their sign-ins have changed: one statement looks at all of them, three times a second,
 * and none where no page waits. What another process writes is seen the same way.
 */
export function sessionWaits(db: Db, clock: Clock, onError: (error: unknown) => void) {
  const watched = new Map<string, Watched & { listeners: Set<Listener> }>()
  const places = waitingPlaces(maxWatched)
  const counts = new Map<string, number>()
  const stopping = new AbortController()
  let isLooking = false

  async function look(): Promise<void> {
    isLooking = true
    while (watched.size > 0 && !stopping.signal.aborted) {
      try {
        const looked = [...watched.values()]
        const marks = await readMarks(db, looked, clock())
        for (const { id, listeners } of looked) {
          for (const listener of [...listeners]) listener(marks.get(id) ?? 'gone')
        }
      } catch (error) {
        onError(error)
      }
      await pause(lookEveryMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
    isLooking = false
  }

  function listen({ organizationId, id }: Watched, listener: Listener): () => void {
    const entry = watched.get(id) ?? { organizationId, id, listeners: new Set() }
    watched.set(id, entry)
    entry.listeners.add(listener)
    if (!isLooking) void look()
    return () => {
      entry.listeners.delete(listener)
      if (entry.listeners.size === 0) watched.delete(id)
    }
  }

  /** Counts a request where it may wait; returns what gives its place back. */
  function admit(
    { id, organization_id: organizationId, evidence }: Waiting,
    address: string,
  ): (() => void) | undefined {
    const [ofSession, ofNetwork] = [`session ${id}`, `network ${networkOf(address)}`]
    const isAsserted = evidence === 'asserted'
    if ((counts.get(ofSession) ?? 0) >= maxOfSession) return undefined
    if (!isAsserted && (counts.get(ofNetwork) ?? 0) >= maxOfNetwork) return undefined
    const giveBack = places.take({ id, organizationId, isAsserted })
    if (!giveBack) return undefined
    const keys = isAsserted ? [ofSession] : [ofSession, ofNetwork]
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    return () => {
      giveBack()
      for (const key of keys) {
        const left = (counts.get(key) ?? 1) - 1
        if (left > 0) counts.set(key, left)
        else counts.delete(key)
      }
    }
  }

  /**
   * The mark of a sign-in as soon as it is another one than `seen`, and `seen` after 25 seconds or when `signal` aborts.
   * Undefined where its session, its network, its organization or this process has requests enough that wait.
   */
  async function markAfter(
    session: Waiting,
    seen: string,
    { address, signal }: { address: string; signal: AbortSignal },
  ): Promise<string | undefined> {
    const giveBack = admit(session, address)
    if (!giveBack) return undefined
    const { id, organization_id: organizationId } = session
    let mark = seen
    const listening = (tell: () => void) =>
      listen({ organizationId, id }, (found) => {
        if (found === seen) return
        mark = found
        tell()
      })
    const isOver = AbortSignal.any([signal, stopping.signal])
    await waitUntilTold({ seconds: waitSeconds, signal: isOver }, listening).finally(giveBack)
    return mark
  }

  return { markAfter, stop: () => stopping.abort() }
}
