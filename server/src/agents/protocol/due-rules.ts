import { dayMs } from '../../base/time.ts'

export type PlannedCheck = {
  checkId: string
  queryRevision: string
  /** Whether an upgrade of Muster brought the query, so that each device answers it in its turn. */
  isUpgradedQuery: boolean
  intervalMs: number
  /** What the query was made from. */
  source: string
  /** The SQL as JSON text, ready for an answer; or why there is none. */
  query: { json: string } | { fault: string }
}

/** What is known of one check on one device. Moments are milliseconds since the epoch. */
export type CheckState = {
  checkId: string
  /** Of the query that gave the stored result; null before the first run. */
  queryRevision: string | null
  ranAtMs: number | undefined
  refreshRequestedAtMs: number | undefined
  /** Whether the agent has answered that it refuses the query: it was ended while it ran it. */
  isDenied: boolean
}

export type LiveQueryState = { campaignId: string; revision: number }
export type DueLiveQuery = LiveQueryState & { dueAtMs: number }

/** The key of a live query among the queries that a device was given. */
export const liveQueryKey = ({ campaignId, revision }: LiveQueryState): string => `campaign/${campaignId}/${revision}`

/** Undefined for a check. */
export function liveQueryOfKey(key: string): LiveQueryState | undefined {
  const [kind, campaignId = '', revision] = key.split('/')
  return kind === 'campaign' ? { campaignId, revision: Number(revision) } : undefined
}

/** At once, and again when no answer came. */
export const dueLiveQuery = (state: LiveQueryState, handedOutAtMs: number | undefined): DueLiveQuery => ({
  ...state,
  dueAtMs: handedOutAtMs === undefined ? 0 : handedOutAtMs + unansweredMs,
})

export type DueCheck = {
  check: PlannedCheck
  dueAtMs: number
  isUrgent: boolean
  /** Whether nothing is asked beside it, since it may cost all answers to its read. */
  goesAlone: boolean
}

/** A query without an answer is sent again after this: a running agent answers within seconds. */
export const unansweredMs = 300_000
/** osquery runs the queries of one read one after another, without a time limit, and sends one write for all. */
export const queriesPerRead = 20
/** For as long osquery refuses a query that its watchdog has ended (`distributed_denylist_duration`). */
const deniedMs = dayMs
/** A run that nobody waits for is not repeated sooner than this share of its interval after the last one. */
const minShare = 0.1
/** Checks of one device come due together, within this share of the interval, so that one write carries them. */
const checkSpread = 0.01

/** A number in [0, 1) that is the same in every process: FNV-1a with a final mix. */
export function fractionOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000
}

/**
 * The next turn of a check that ran at `ranAtMs`. Each device has its place within every interval, so that a fleet
 * which started together spreads over it; a run out of turn does not move the place.
 */
export function nextTurnMs(ranAtMs: number, intervalMs: number, deviceId: string, checkId: string): number {
  const place = (fractionOf(deviceId) + checkSpread * fractionOf(`${deviceId}/${checkId}`)) % 1
  const offsetMs = place * intervalMs
  const turnMs = (Math.floor((ranAtMs - offsetMs) / intervalMs) + 1) * intervalMs + offsetMs
  return Math.ceil(turnMs - ranAtMs < minShare * intervalMs ? turnMs + intervalMs : turnMs)
}

/**
 * When a check is due on a device; 0 for at once. Urgent are refreshes and first runs of a query, but for one that came with
 * an upgrade: that changes many, and a fleet that answered all of them at once would be a storm. What the agent refuses it is
 * not asked for a day, unless someone waits for it.
 */
export function dueTime(
  check: PlannedCheck,
  state: CheckState,
  handedOutAtMs: number | undefined,
  deviceId: string,
): DueCheck {
  const { ranAtMs, refreshRequestedAtMs } = state
  const isOtherQuery = state.queryRevision !== check.queryRevision
  const isFirst = ranAtMs === undefined || (isOtherQuery && !check.isUpgradedQuery)
  const isRefresh = refreshRequestedAtMs !== undefined && refreshRequestedAtMs > (ranAtMs ?? 0)
  const isUrgent = isFirst || isRefresh
  const isDenied = state.isDenied && !isOtherQuery
  const turnMs = isUrgent ? 0 : nextTurnMs(ranAtMs, check.intervalMs, deviceId, check.checkId)
  const dueAtMs = isDenied && !isUrgent ? Math.max(turnMs, ranAtMs + deniedMs) : turnMs
  const isAskedAlready =
    handedOutAtMs !== undefined && handedOutAtMs > (ranAtMs ?? 0) && handedOutAtMs >= (refreshRequestedAtMs ?? 0)
  return {
    check,
    isUrgent,
    goesAlone: isDenied,
    dueAtMs: isAskedAlready ? Math.max(dueAtMs, handedOutAtMs + unansweredMs) : dueAtMs,
  }
}

/** Urgent ones first, then the longest overdue. */
export const inOrderOfNeed = (one: DueCheck, other: DueCheck): number =>
  Number(other.isUrgent) - Number(one.isUrgent) || one.dueAtMs - other.dueAtMs
