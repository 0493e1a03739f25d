import { dayMs, plusMs } from '../../base/time.ts'
import { isBlocking, type RemediationStrategy } from '../../inventory/devices/rules.ts'
import { type HeldSchedule, scheduleUnderHold, type UnderHold } from '../holds/hold-rules.ts'

/** Moments are ISO 8601 UTC with milliseconds, so they compare as text. */
const latest = (...moments: (string | null)[]): string =>
  moments.reduce<string>((last, moment) => (moment !== null && moment > last ? moment : last), '')

export type BlockingPolicy = {
  remediation_strategy: RemediationStrategy
  block_auth_grace_period_days: number
  begins_blocking_on: string | null
  paused_at: string | null
}

export type BlockingFacts = {
  policy: BlockingPolicy
  /** Whether the device is within the groups that the check may block. */
  isInBlockingGroups: boolean
  isExempted: boolean
  detectedAt: string
  /** Since when the check blocks this device; null when it did not until now. */
  blockingSince: string | null
  registeredAt: string | null
  snoozedUntil: string | null
}

export type BlockingDecision = { blocking_since: string | null; blocks_device_at: string | null }

/**
 * When an open issue blocks its device. The base is the latest of detection, the moment from which the check blocks
 * this device, and the registration; grace is added for `warn_then_block`; a snooze and `begins_blocking_on` push it
 * back. Null for whatever does not block, and for devices that belong to nobody.
 */
export function decideBlocking(facts: BlockingFacts, now: string): BlockingDecision {
  const { policy } = facts
  if (!isBlocking(policy) || policy.paused_at !== null || !facts.isInBlockingGroups) {
    return { blocking_since: null, blocks_device_at: null }
  }
  const blockingSince = facts.blockingSince ?? now
  if (facts.isExempted || facts.registeredAt === null) return { blocking_since: blockingSince, blocks_device_at: null }
  const base = latest(facts.detectedAt, blockingSince, facts.registeredAt)
  const graceMs = policy.remediation_strategy === 'warn_then_block' ? policy.block_auth_grace_period_days * dayMs : 0
  return {
    blocking_since: blockingSince,
    blocks_device_at: latest(plusMs(base, graceMs), policy.begins_blocking_on, facts.snoozedUntil),
  }
}

export type ScheduledIssue = HeldSchedule & {
  /** Whether the owner was told of it before it blocked the device, or would have. */
  told_before_block: boolean
}

type OpenIssue = UnderHold & { exempted: boolean; detected_at: string }

type FactsOfDevice = Pick<BlockingFacts, 'policy' | 'isInBlockingGroups' | 'registeredAt'> & {
  snoozed_until: string | null
}

/** When an open issue blocks, decided again: by the policy as it is now, and by the hold that it is under. */
export function scheduleIssue(issue: OpenIssue, facts: FactsOfDevice, now: string): HeldSchedule {
  const { policy, isInBlockingGroups, registeredAt, snoozed_until } = facts
  const decided = decideBlocking(
    {
      ...{ policy, isInBlockingGroups, registeredAt },
      isExempted: issue.exempted,
      detectedAt: issue.detected_at,
      blockingSince: issue.blocking_since,
      // What does not block cannot be put off.
      snoozedUntil: issue.hold_id === null ? snoozed_until : null,
    },
    now,
  )
  return issue.hold_id === null ? { ...decided, hold_id: null } : scheduleUnderHold(issue, decided, now)
}
