import type { Reader } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import type { PageView } from '../page/page-view.ts'
import type { Judged } from '../sessions/judge.ts'
import { isRechecking } from '../sessions/recheck.ts'
import { listPendingChecks, type SignInSession } from '../sessions/session-queries.ts'
import { limits } from '../sessions/session-rules.ts'

const shownStates: ReadonlySet<Judged['state']> = new Set(['unfinished', 'blocked', 'warning', 'passed'])

/** The checks that were waited for at this sign-in and have brought no result; null where there are none. */
export async function viewOfLateChecks(
  reader: Reader,
  session: SignInSession,
  { judged: { state, device }, now }: { judged: Judged; now: string },
): Promise<PageView['late']> {
  const { organization_id: organizationId, evaluating_since: since } = session
  if (!device || since === null || !shownStates.has(state)) return null
  // Which results count is not said while they may change; what holds the sign-in up stays in place.
  if (isRechecking(session) && state !== 'unfinished') return null
  if (now < plusMs(since, limits.evaluatingMs)) return null
  const late = await listPendingChecks(reader, { organizationId, deviceId: device.id }, since)
  if (late.length === 0) return null
  const countsSince = plusMs(now, -limits.lastResultMs)
  const isOutdated = ({ ran_at: ranAt }: (typeof late)[number]) => (ranAt ?? '') <= countsSince
  const [oldest = null] = late.flatMap((check) => (isOutdated(check) ? [] : [check.ran_at])).toSorted()
  return { count: late.length, outdated: late.filter(isOutdated).map(({ name }) => name), resultsFrom: oldest }
}
