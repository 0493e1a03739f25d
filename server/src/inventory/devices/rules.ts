import type { AuthState } from '@muster/contract/devices.ts'

export type StoredState = 'good' | 'notified' | 'will_block' | 'blocked'

export type StateOfIssue = {
  exempted: boolean
  blocks_device_at: string | null
  /**
   * Whether the check tells the person about the issue: any strategy but `report_only`, and not paused. What is held or was
   * discarded counts as it did before.
   */
  is_shown: boolean
}

export type RemediationStrategy = 'block_immediately' | 'warn_then_block' | 'notify_only' | 'report_only'

/** An open issue, and what the configuration of its check says now. */
type IssueUnderCheck = {
  exempted: boolean
  blocks_device_at: string | null
  hold_id: string | null
  told_before_block: boolean
  /** Whether the owner is told only once a change of the configuration has reached the device. */
  is_yet_to_be_told: boolean
  remediation_strategy: RemediationStrategy
  paused_at: string | null
}

/** Whether a check tells owners of its issues. */
export const isTelling = ({
  remediation_strategy: strategy,
  paused_at: pausedAt,
}: Pick<IssueUnderCheck, 'remediation_strategy' | 'paused_at'>) => pausedAt === null && strategy !== 'report_only'

/** Whether a check has a strategy that blocks devices in the end. */
export const isBlocking = ({ remediation_strategy: strategy }: Pick<IssueUnderCheck, 'remediation_strategy'>) =>
  strategy === 'block_immediately' || strategy === 'warn_then_block'

/** A check that was paused or blocks no more blocks nobody, also where its issues are yet to be decided again. */
export function stateOfIssue(issue: IssueUnderCheck): StateOfIssue {
  const isInForce = issue.paused_at === null
  return {
    exempted: issue.exempted,
    blocks_device_at: isInForce && isBlocking(issue) ? issue.blocks_device_at : null,
    is_shown: isTelling(issue) && !issue.is_yet_to_be_told && (issue.hold_id === null || issue.told_before_block),
  }
}

export type AuthStateDecision = { auth_state: StoredState; will_block_at: string | null }

const good: AuthStateDecision = { auth_state: 'good', will_block_at: null }

/** What the open issues of a registered device mean at `now`; a device that belongs to nobody is Good. */
export function authStateFor(
  issues: readonly StateOfIssue[],
  device: { isRegistered: boolean },
  now: string,
): AuthStateDecision {
  if (!device.isRegistered) return good
  const counted = issues.filter((issue) => !issue.exempted)
  let willBlockAt: string | null = null
  for (const { blocks_device_at: at } of counted) {
    if (at === null) continue
    if (at <= now) return { auth_state: 'blocked', will_block_at: null }
    if (willBlockAt === null || at < willBlockAt) willBlockAt = at
  }
  if (willBlockAt !== null) return { auth_state: 'will_block', will_block_at: willBlockAt }
  return counted.some((issue) => issue.is_shown) ? { auth_state: 'notified', will_block_at: null } : good
}

type DecidedDevice = AuthStateDecision & {
  registered_owner_id: string | null
  registration_suspended_at: string | null
}

/** What the state of a device becomes with these open issues. */
export function decideAuthState(
  device: DecidedDevice,
  issues: readonly StateOfIssue[],
  now: string,
): AuthStateDecision {
  const fresh = authStateFor(issues, { isRegistered: device.registered_owner_id !== null }, now)
  if (device.registration_suspended_at === null) return fresh
  const { auth_state, will_block_at } = device
  return withoutImprovement({ auth_state, will_block_at }, fresh, now)
}

const severity: Record<StoredState, number> = { good: 0, notified: 1, will_block: 2, blocked: 3 }

/**
 * While a registration is suspended, what the device reports may make its state worse, never better.
 */
export function withoutImprovement(
  before: AuthStateDecision,
  after: AuthStateDecision,
  now: string,
): AuthStateDecision {
  const isDue = before.will_block_at !== null && before.will_block_at <= now
  const kept: AuthStateDecision = isDue ? { auth_state: 'blocked', will_block_at: null } : before
  return isWorse(after, kept) ? after : kept
}

/** Of two states that will block, the one that does so sooner is worse. */
function isWorse(one: AuthStateDecision, other: AuthStateDecision): boolean {
  if (one.auth_state !== other.auth_state) return severity[one.auth_state] > severity[other.auth_state]
  return one.will_block_at !== null && other.will_block_at !== null && one.will_block_at < other.will_block_at
}

export const compliancyOf = (state: StoredState): 'compliant' | 'not-compliant' =>
  state === 'blocked' ? 'not-compliant' : 'compliant'

export const shownState: Record<StoredState, AuthState> = {
  good: 'Good',
  notified: 'Notified',
  will_block: 'Will Block',
  blocked: 'Blocked',
}
