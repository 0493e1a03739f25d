import type { Clock } from '../../../base/clock.ts'
import { fail, tooBusy } from '../../../base/errors.ts'
import { siteOf } from '../../../base/network-of.ts'
import { spendingBudget } from '../../../base/spending-budget.ts'
import { minuteMs } from '../../../base/time.ts'

/**
 * Of one process. An office may be behind one address, and each Mac of it asks twice. In the longest time 50 MB come over a slow
 * mobile network; whoever reads slower holds a place that others wait for.
 */
const partLimits = {
  atOnce: 128,
  ofSiteAtOnce: 32,
  longestMs: 15 * minuteMs,
  asked: { burst: 1_000, perSecond: 10 },
}

/** An answer that is under way; `end` breaks it off. */
type Answer = { end: () => void }

/**
 * Shares what a process has for answers of 40 MB and more, which anyone gets who has the hash. A site that asks while all places are
 * taken gets one of the site that has most, where that has at least two more.
 */
export function shareAnswers(clock: Clock, { atOnce, ofSiteAtOnce, longestMs, asked } = partLimits) {
  const budget = spendingBudget(asked, clock)
  /** The oldest of a site comes first. */
  const bySite = new Map<string, Set<Answer>>()
  let running = 0

  function leave(site: string, answer: Answer): void {
    const own = bySite.get(site)
    if (!own?.delete(answer)) return
    running -= 1
    if (own.size === 0) bySite.delete(site)
  }

  /** Breaks off the oldest answer of the site that has most, if that leaves it as many as the one that asks gets. */
  function makeRoom(held: number): boolean {
    const [largest] = [...bySite].toSorted(([, one], [, other]) => other.size - one.size)
    if (!largest) return false
    const [site, answers] = largest
    const [oldest] = answers
    if (!oldest || answers.size < held + 2) return false
    leave(site, oldest)
    oldest.end()
    return true
  }

  return {
    /** Before anything is read for a request. Fails with `rate_limited`. */
    admit(address: string): void {
      const site = siteOf(address)
      if (budget.isSpent(site))
        fail('rate_limited', { message: 'Your network makes too many requests.', retryAfterSeconds: 10 })
      budget.spend(site)
    },
    /** Takes a place, for the longest time at most, and returns what gives it back. Fails with `rate_limited`. */
    take(address: string, answer: Answer): () => void {
      const site = siteOf(address)
      const held = bySite.get(site)?.size ?? 0
      if (held >= ofSiteAtOnce || (running >= atOnce && !makeRoom(held)))
        throw tooBusy('Too many downloads are under way. Try again in a few seconds.')
      bySite.set(site, (bySite.get(site) ?? new Set()).add(answer))
      running += 1
      const timer = setTimeout(answer.end, longestMs).unref()
      return () => {
        clearTimeout(timer)
        leave(site, answer)
      }
    },
  }
}
