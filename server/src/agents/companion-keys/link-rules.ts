import { dayMs, hourMs, minuteMs } from '../../base/time.ts'

function askedAtMsOf(name: string): number {
  return Number.parseInt(name.slice(name.lastIndexOf('-') + 1), 36)
}

export type LinkStanding = {
  link_name: string | null
  confirmed_at: string | null
  /** Of the contact before this one. */
  last_contact_at: string
}

/** The node and the companion may be a moment apart. */
const settlingMs = 10_000
const denialMs = 10 * minuteMs

/**
 * Whether a node that was asked at `askedAtMs` and reports no file has denied the link for good: ten minutes after the file
 * was first asked for, and after its companion has been here since.
 */
export function isDenied(
  {
    status,
    link_name: name,
    last_contact_at,
  }: Pick<LinkStanding, 'link_name' | 'last_contact_at'> & { status: string },
  askedAtMs: number,
): boolean {
  if (status !== 'linked' || name === null) return false
  const [sinceMs, contactMs] = [askedAtMsOf(name), Date.parse(last_contact_at)]
  return contactMs >= sinceMs && askedAtMs >= sinceMs + denialMs && askedAtMs >= contactMs + settlingMs
}

/** A companion that is asked comes soon; one that has nothing to show for an hour comes as seldom as the others. */
export function secondsToNextCheckIn(
  { link_name: name, enrolled_at: enrolledAt }: { link_name: string | null; enrolled_at: string },
  { isLinked, isBundled, isContested }: { isLinked: boolean; isBundled: boolean; isContested: boolean },
  now: string,
): number {
  if (isLinked && !isContested && (name === null || !isBundled)) return idleSeconds
  const sinceMs = name === null ? Date.parse(enrolledAt) : askedAtMsOf(name)
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
  { link_name, confirmed_at, last_contact_at }: LinkStanding,
  now: string,
): 'keep' | 'ask' | 'end' {
  const nowMs = Date.parse(now)
  if (link_name === null) return nowMs - Date.parse(confirmed_at ?? now) >= linkLifeMs ? 'ask' : 'keep'
  const sinceMs = nowMs - askedAtMsOf(link_name)
  if (!(sinceMs >= patienceMs)) return 'keep'
  return nowMs - Date.parse(last_contact_at) > longestPauseMs ? 'ask' : 'end'
}
