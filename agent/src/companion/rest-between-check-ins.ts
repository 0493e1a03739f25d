import { setTimeout as sleep } from 'node:timers/promises'

const awakeMs = 600_000
/** A page that asks again and again does not make a companion call a server again and again that does not answer. */
const betweenWakesMs = 60_000

/** When a companion calls its server: seldom by itself, at once when somebody signs in. */
export function restBetweenCheckIns(signal: AbortSignal) {
  let awakeUntilMs = 0
  let wokenAtMs = Number.NEGATIVE_INFINITY
  let endPause: (() => void) | undefined
  /** Asked for during a call, which began too early to tell of it: the pause after that call is skipped. */
  let isDue = false

  /** Ends the pause, at most once in a while. */
  function askNow(): void {
    const nowMs = performance.now()
    if (nowMs - wokenAtMs < betweenWakesMs) return
    wokenAtMs = nowMs
    if (endPause) endPause()
    else isDue = true
  }

  return {
    isAwake: (): boolean => performance.now() < awakeUntilMs,

    /** Somebody signs in on this machine. */
    wake(): void {
      awakeUntilMs = performance.now() + awakeMs
      askNow()
    },

    /** There is something to tell the server. It does not count as a wake, which may follow within the minute. */
    tellNow: (): void => endPause?.(),

    /** What the server said last is not enough, as it may be after a sleep. */
    askNow,

    /** Ends early at a wake, or when the agent is told to stop. */
    async pause(ms: number): Promise<void> {
      const ending = new AbortController()
      if (isDue) ending.abort()
      isDue = false
      endPause = () => ending.abort()
      await sleep(ms, undefined, { signal: AbortSignal.any([signal, ending.signal]) }).catch(() => undefined)
      endPause = undefined
    },
  }
}
