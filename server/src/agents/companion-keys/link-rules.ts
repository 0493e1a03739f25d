import { dayMs, hourMs, minuteMs } from '../../base/time.ts'

function askedAtMs(name: string): number {
  return Number.parseInt(name.slice(name.lastIndexOf('-') + 1), 36)
}

export type LinkStanding = {
  link_name: string | null
  linked_at: string | null
  /** Of the contact before this one. */
  last_contact_at: string
}

/** A companion that is asked comes soon; one that has nothing to show for an hour comes as seldom as the others. */
export function secondsToNextCheckIn(
  { link_name: name, enrolled_at: enrolledAt }: { link_name: string | null; enrolled_at: string },
  { isLinked, isBundled }: { isLinked: boolean; isBundled: boolean },
  now: string,
): number {
  if (isLinked && (name === null || !isBundled)) return idleSeconds
  const sinceMs = name === null ? Date.parse(enrolledAt) : askedAtMs(name)
  return Date.parse(now) - sinceMs < patienceMs ? linkingSeconds : idleSeconds
}

const idleSeconds = 300
const linkingSeconds = 15
const linkLifeMs = dayMs
/** An osquery node polls once a minute at the latest. */
const patienceMs = hourMs
/** A companion that sleeps for longer than this was asleep with its machine, and its osquery node with it. */
const longestPauseMs = 30 * minuteMs

/**
 * What a contact of a linked key calls for. The link is proved again once a day; one that the osquery node has not
 * confirmed within an hour, while the companion was there all the time, has ended: the key is on another machine.
 */
export function judgeLink(
  { link_name, linked_at, last_contact_at }: LinkStanding,
  now: string,
): 'keep' | 'ask' | 'end' {
  const nowMs = Date.parse(now)
  if (link_name === null) return nowMs - Date.parse(linked_at ?? now) >= linkLifeMs ? 'ask' : 'keep'
  const sinceMs = nowMs - askedAtMs(link_name)
  if (!(sinceMs >= patienceMs)) return 'keep'
  return nowMs - Date.parse(last_contact_at) > longestPauseMs ? 'ask' : 'end'
}
