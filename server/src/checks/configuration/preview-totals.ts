import { isTargeted, type Targeting } from '../../compliance/standing/targeting-rules.ts'
import {
  type BlockingRules,
  effectOf,
  endOfGrace,
  excludedGroupOf,
  type Forecast,
  forecast,
  type SparedReason,
  strategies,
} from './preview-rules.ts'
import type { PreviewedRow } from './previewed-device-queries.ts'
import type { SettingName } from './settings.ts'

export type PreviewPlan = {
  now: string
  end: string
  /** Whether what it blocks without notice is held. */
  isHeld: boolean
  /** Whether the check tells owners of issues as it is saved now. */
  isTold: boolean
  rules: BlockingRules
  targeting: Targeting
  isRetargeted: boolean
  isOtherQuery: boolean
  changed: readonly SettingName[]
  revision: string
  /** What else the digest stands for. */
  digestedAs: string
}

export type UndecidedReason = 'unknown' | 'errored' | 'pending' | 'stale' | 'new_target'

type Strategy = (typeof strategies)[number]
type Effect = {
  notified: number
  blockedNow: number
  blockedAtEnd: number
  /** Whose devices it blocks without notice, and how many it blocks besides. */
  sudden: Set<string>
  othersNow: number
  othersAtEnd: number
}
type Listed<Fact> = { device: PreviewedRow } & Fact

export type PreviewTotals = {
  blockedNow: number
  blockedAtEnd: number
  /** Devices that the check will block, or block sooner. */
  hit: number
  /** Devices that saving blocks without notice, and their owners. */
  sudden: number
  suddenOwners: Set<string>
  /** Devices whose blocks of the hour before are taken back. */
  takenBack: number
  /** Devices that are blocked today and not after saving. */
  released: number
  joined: number
  left: number
  /** How many devices get each state by saving. */
  moves: Record<Forecast['afterSaving']['auth_state'], number>
  effects: Record<Strategy, Effect>
  /** Of the devices that are blocked by the end. */
  owners: Set<string>
  blocked: Listed<{ forecast: Forecast }>[]
  spared: Listed<{ reason: SparedReason; group: string | null }>[]
  sparedBy: Map<string, { reason: SparedReason; group: string | null; count: number }>
  undecided: Listed<{ reason: UndecidedReason }>[]
  undecidedBy: Map<UndecidedReason, number>
}

const nobody = (): Effect => ({
  ...{ notified: 0, blockedNow: 0, blockedAtEnd: 0 },
  ...{ sudden: new Set<string>(), othersNow: 0, othersAtEnd: 0 },
})

export const startTotals = (): PreviewTotals => ({
  blockedNow: 0,
  blockedAtEnd: 0,
  hit: 0,
  sudden: 0,
  suddenOwners: new Set(),
  takenBack: 0,
  released: 0,
  joined: 0,
  left: 0,
  moves: { good: 0, notified: 0, will_block: 0, blocked: 0 },
  effects: {
    report_only: nobody(),
    notify_only: nobody(),
    warn_then_block: nobody(),
    block_immediately: nobody(),
  },
  owners: new Set(),
  blocked: [],
  spared: [],
  sparedBy: new Map(),
  undecided: [],
  undecidedBy: new Map(),
})

/** Counts a device in; returns how it is hit, in letters for the digest, blank where it is not. */
export function takeDevice(totals: PreviewTotals, device: PreviewedRow, plan: PreviewPlan, most: number): string {
  const wasTargeted = device.status !== null
  const isStillTargeted = plan.isRetargeted ? isTargeted(plan.targeting, device) : wasTargeted
  if (!wasTargeted && isStillTargeted) totals.joined += 1
  if (wasTargeted && !isStillTargeted) totals.left += 1
  const undecided = isStillTargeted ? undecidedReason(device, plan) : undefined
  if (undecided !== undefined) {
    totals.undecidedBy.set(undecided, (totals.undecidedBy.get(undecided) ?? 0) + 1)
    if (totals.undecided.length < most) totals.undecided.push({ device, reason: undecided })
  }
  // What has no issue of the check is neither blocked nor released by it.
  if (device.own.length === 0) return ''
  if (isStillTargeted) takeEffects(totals, device, plan)
  return takeForecast(totals, device, plan, forecast(device, plan.rules, isStillTargeted, plan), most)
}

function takeForecast(
  totals: PreviewTotals,
  device: PreviewedRow,
  plan: PreviewPlan,
  found: Forecast,
  most: number,
): string {
  const { afterSaving, blocksAt, spared } = found
  const isReleased = device.auth_state === 'blocked' && afterSaving.auth_state !== 'blocked'
  if (found.isHit) totals.hit += 1
  if (found.isSudden) totals.sudden += 1
  if (found.isSudden && device.registered_owner_id !== null) totals.suddenOwners.add(device.registered_owner_id)
  if (found.isTakenBack) totals.takenBack += 1
  if (isReleased) totals.released += 1
  if (afterSaving.auth_state !== device.auth_state) totals.moves[afterSaving.auth_state] += 1
  if (spared !== null) takeSpared(totals, device, plan, spared, most)
  const isBlockedNow = blocksAt !== null && blocksAt <= plan.now
  const isBlockedAtEnd = blocksAt !== null && blocksAt <= plan.end
  if (isBlockedNow) totals.blockedNow += 1
  if (isBlockedAtEnd) {
    totals.blockedAtEnd += 1
    if (device.registered_owner_id !== null) totals.owners.add(device.registered_owner_id)
    if (totals.blocked.length < most) totals.blocked.push({ device, forecast: found })
  }
  return [isBlockedNow && 'n', isBlockedAtEnd && 'e', isReleased && 'r', plan.isHeld && found.isSudden && 'h']
    .filter(Boolean)
    .join('')
}

function takeSpared(
  totals: PreviewTotals,
  device: PreviewedRow,
  plan: PreviewPlan,
  reason: SparedReason,
  most: number,
) {
  const group = reason === 'excluded_group' ? (excludedGroupOf(device, plan.rules) ?? null) : null
  const key = `${reason} ${group}`
  const counted = totals.sparedBy.get(key) ?? { reason, group, count: 0 }
  totals.sparedBy.set(key, { ...counted, count: counted.count + 1 })
  if (totals.spared.length < most) totals.spared.push({ device, reason, group })
}

function undecidedReason(device: PreviewedRow, plan: PreviewPlan): UndecidedReason | undefined {
  if (device.registered_owner_id === null || device.own.length > 0) return undefined
  const { status } = device
  if (status === null) return 'new_target'
  if (status === 'out_of_scope') return undefined
  if (status === 'pending' || status === 'stale') return status
  if (plan.isOtherQuery) return 'stale'
  return status === 'unknown' || status === 'errored' ? status : undefined
}

function takeEffects(totals: PreviewTotals, device: PreviewedRow, { rules, now }: PreviewPlan): void {
  for (const remediation_strategy of strategies) {
    const other = { ...rules, remediation_strategy }
    const effect = effectOf(device, other, { now, end: endOfGrace(other, now) })
    const sum = totals.effects[remediation_strategy]
    if (effect.notified) sum.notified += 1
    if (effect.blockedNow) sum.blockedNow += 1
    if (effect.blockedAtEnd) sum.blockedAtEnd += 1
    if (effect.isSudden && device.registered_owner_id !== null) sum.sudden.add(device.registered_owner_id)
    if (effect.blockedNow && !effect.isHoldable) sum.othersNow += 1
    if (effect.blockedAtEnd && !effect.isHoldable) sum.othersAtEnd += 1
  }
}

/** Takes out what would be held under this strategy. */
export function holdEffect(effect: Effect): void {
  effect.blockedNow = effect.othersNow
  effect.blockedAtEnd = effect.othersAtEnd
}
