import { dayMs, plusMs } from '../../base/time.ts'
import { comesSuddenly, type HoldDecision, isSudden, wasTold } from '../../compliance/holds/hold-rules.ts'
import { type BlockingPolicy, scheduleIssue } from '../../compliance/issues/rules.ts'
import { isAllowed, type TargetedDevice } from '../../compliance/standing/targeting-rules.ts'
import {
  type AuthStateDecision,
  decideAuthState,
  isBlocking,
  type StateOfIssue,
  stateOfIssue,
} from '../../inventory/devices/rules.ts'

export const strategies = ['report_only', 'notify_only', 'warn_then_block', 'block_immediately'] as const

/** What a configuration says of blocking. */
export type BlockingRules = BlockingPolicy & {
  blocking_allowed_groups: readonly string[]
  blocking_excluded_groups: readonly string[]
}

export type OwnIssue = {
  exempted: boolean
  detected_at: string
  blocking_since: string | null
  /** As the configuration that is saved has it; null where that blocks nobody. */
  blocks_device_at: string | null
  hold_id: string | null
  hold_decision: HoldDecision | null
  hold_is_of_upgrade: boolean | null
  told_before_block: boolean
  /** Whether a hold that begins now takes its block back. */
  is_taken_back: boolean
}

/** A device, what the check last said there, and the open issues of the check and of all others. */
export type PreviewedDevice = TargetedDevice & {
  registered_owner_id: string | null
  registered_at: string | null
  registration_suspended_at: string | null
  auth_state: AuthStateDecision['auth_state']
  will_block_at: string | null
  snoozed_until: string | null
  own: readonly OwnIssue[]
  others: readonly StateOfIssue[]
}

export type SparedReason = 'exempted' | 'excluded_group' | 'outside_groups' | 'unregistered' | 'snoozed' | 'held'

export type Forecast = {
  /** Right after saving. */
  afterSaving: AuthStateDecision
  /** At the end of the grace period, if nothing else happens. */
  atEnd: AuthStateDecision
  /** When the first issue of this check blocks; null when none will. */
  blocksAt: string | null
  /** Whether that is sooner than as the configuration is saved now. */
  isHit: boolean
  /** Whether saving blocks it without notice, so that it counts towards the limit from which blocks are held. */
  isSudden: boolean
  /** Whether a block of the hour before is taken back. */
  isTakenBack: boolean
  /** Why a failing device is not blocked by the end; null where it is, or where the strategy blocks nobody. */
  spared: SparedReason | null
}

/** When everything that fails now blocks, but for what is snoozed for longer. */
export function endOfGrace(rules: BlockingPolicy, now: string): string {
  const graceMs = rules.remediation_strategy === 'warn_then_block' ? rules.block_auth_grace_period_days * dayMs : 0
  const end = isBlocking(rules) ? plusMs(now, graceMs) : now
  return isBlocking(rules) && rules.begins_blocking_on !== null && rules.begins_blocking_on > end
    ? rules.begins_blocking_on
    : end
}

type Outlook = {
  now: string
  end: string
  /** Whether blocks without notice are held; they take effect if it is left out. */
  isHeld?: boolean
  /** Whether the check tells owners of issues as it is saved now. */
  isTold: boolean
}

/** What saving `rules` does to a device; `isTargeted` says whether the check still runs there. */
export function forecast(
  device: PreviewedDevice,
  rules: BlockingRules,
  isTargeted: boolean,
  { now, end, isHeld = false, isTold }: Outlook,
): Forecast {
  // What a check leaves has its issues resolved.
  const decided = isTargeted ? device.own.map((issue) => ({ issue, after: decideOwn(issue, device, rules, now) })) : []
  const isNew = decided.some(({ issue, after }) => comesSuddenly(issue, after, now))
  const isTaken = isHeld && decided.some(({ issue, after }) => takesBack(issue, after, now))
  const own = decided.map(({ issue, after }) =>
    isHeld ? keepHeld(issue, after, { now, isTold }) : { ...after, told_before_block: issue.told_before_block },
  )
  const issues = [
    ...device.others,
    ...own.map((issue) => stateOfIssue({ ...issue, ...rules, is_yet_to_be_told: false })),
  ]
  const afterSaving = decideAuthState(device, issues, now)
  const atEnd = decideAuthState({ ...device, ...afterSaving }, issues, end)
  const blocksAt = earliest(own)
  const blockedAsItIs = earliest(device.own)
  const isHit = blocksAt !== null && (blockedAsItIs === null || blocksAt < blockedAsItIs)
  return {
    afterSaving,
    atEnd,
    blocksAt,
    isHit,
    isSudden: isNew,
    isTakenBack: isTaken,
    spared: sparedReason(device, rules, own, blocksAt, end),
  }
}

const decideOwn = (issue: OwnIssue, device: PreviewedDevice, rules: BlockingRules, now: string) => ({
  exempted: issue.exempted,
  ...scheduleIssue(
    issue,
    {
      policy: rules,
      isInBlockingGroups: isAllowed(rules.blocking_allowed_groups, rules.blocking_excluded_groups, device),
      registeredAt: device.registered_at,
      snoozed_until: device.snoozed_until,
    },
    now,
  ),
})

type Decided = ReturnType<typeof decideOwn>

/** What stays as it is, since its block is held, or loses its block again. */
function keepHeld(
  issue: OwnIssue,
  after: Decided,
  { now, isTold }: Pick<Outlook, 'now' | 'isTold'>,
): Decided & Pick<OwnIssue, 'told_before_block'> {
  if (takesBack(issue, after, now)) return { ...issue, blocking_since: null, blocks_device_at: null, hold_id: 'new' }
  return comesSuddenly(issue, after, now)
    ? { ...issue, hold_id: 'new', told_before_block: wasTold(issue, isTold) }
    : { ...after, told_before_block: issue.told_before_block }
}

/** What the configuration no longer blocks is left to it. */
const takesBack = (issue: OwnIssue, after: Decided, now: string): boolean =>
  issue.is_taken_back && isSudden(null, after.blocks_device_at, now)

function earliest(issues: readonly { exempted: boolean; blocks_device_at: string | null }[]): string | null {
  let first: string | null = null
  for (const { exempted, blocks_device_at: at } of issues) {
    if (!exempted && at !== null && (first === null || at < first)) first = at
  }
  return first
}

function sparedReason(
  device: PreviewedDevice,
  rules: BlockingRules,
  own: readonly { exempted: boolean; hold_id: string | null }[],
  blocksAt: string | null,
  end: string,
): SparedReason | null {
  if (own.length === 0 || !isBlocking(rules) || rules.paused_at !== null) return null
  if (blocksAt !== null) return blocksAt <= end ? null : 'snoozed'
  if (device.registered_at === null) return 'unregistered'
  if (excludedGroupOf(device, rules) !== undefined) return 'excluded_group'
  if (!isAllowed(rules.blocking_allowed_groups, [], device)) return 'outside_groups'
  return own.some(({ exempted, hold_id: holdId }) => !exempted && holdId !== null) ? 'held' : 'exempted'
}

/** The group or platform of the device that is never blocked. */
export const excludedGroupOf = (device: TargetedDevice, rules: BlockingRules): string | undefined =>
  rules.blocking_excluded_groups.find((group) => !isAllowed([], [group], device))

export type StrategyEffect = {
  notified: boolean
  blockedNow: boolean
  blockedAtEnd: boolean
  /** Whether it blocks the device without notice. */
  isSudden: boolean
  /** Whether no block is left where a hold begins. */
  isHoldable: boolean
}

/** What another strategy, under otherwise equal rules, would do to a failing device. */
export function effectOf(
  device: PreviewedDevice,
  rules: BlockingRules,
  { now, end }: { now: string; end: string },
): StrategyEffect {
  const decided = device.own.map((issue) => ({ issue, after: decideOwn(issue, device, rules, now) }))
  const own = decided.map(({ after }) => after)
  const blocksAt = earliest(own)
  const isTold = rules.paused_at === null && rules.remediation_strategy !== 'report_only'
  return {
    notified: isTold && device.registered_owner_id !== null && own.some(({ exempted }) => !exempted),
    blockedNow: blocksAt !== null && blocksAt <= now,
    blockedAtEnd: blocksAt !== null && blocksAt <= end,
    isSudden: decided.some(({ issue, after }) => comesSuddenly(issue, after, now)),
    isHoldable: decided.every(
      ({ issue, after }) =>
        after.exempted ||
        after.blocks_device_at === null ||
        comesSuddenly(issue, after, now) ||
        takesBack(issue, after, now),
    ),
  }
}
