import type { InventoryQuery } from '../../reporting/catalogue/catalogue.ts'
import {
  firstRoundOf,
  inventoryQueryName,
  isInventoryQueryName,
  platformOf,
} from '../../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import type { CheckPlan } from './check-plan.ts'
import type { StoredDevice } from './device-queries.ts'
import type { DeviceState } from './device-registry.ts'
import {
  type CheckState,
  type DueCheck,
  type DueLiveQuery,
  dueLiveQuery,
  dueTime,
  liveQueryKey,
  liveQueryOfKey,
  unansweredMs,
} from './due-rules.ts'
import { noteTaken } from './read-under-way.ts'

/** A device as it has just been read from the database, with what it is due to be asked now or later. */
export type LoadedDevice = {
  device: DeviceState
  checks: DueCheck[]
  liveQueries: DueLiveQuery[]
  tables: readonly InventoryQuery[]
  /** When it is to be asked for the file of a companion; undefined when none waits for it. */
  linkDueAtMs: number | undefined
}

/** A device is asked this often for the file of a companion, which may not have been written yet. */
export const linkEveryMs = 15_000

/** What a device is due to be asked, by what the database and this process know of it. */
export function settleSchedule(
  context: AgentContext,
  device: DeviceState,
  stored: StoredDevice,
  plan: CheckPlan,
): LoadedDevice {
  if (device.isUnconfirmed) return unconfirmed(context, device, stored)
  const noted = context.runTimes.unwritten(stored.organizationId, stored.deviceId)
  const nowMs = Date.parse(context.clock())
  const { unanswered } = device
  for (const [key, issuedAtMs] of unanswered ?? []) {
    if (nowMs - issuedAtMs >= unansweredMs) unanswered?.delete(key)
  }
  const states = stored.checks.map((state) => {
    const notedAtMs = Date.parse(noted.get(state.checkId) ?? '') || 0
    return notedAtMs > (state.ranAtMs ?? 0) ? { ...state, ranAtMs: notedAtMs } : state
  })
  const checks = states.flatMap((state) => {
    const check = plan.get(state.checkId)
    return check ? dueTime(check, state, unanswered?.get(state.checkId), device.deviceId) : []
  })
  noteTaken(device, isTakenBy(stored, states))
  const liveQueries = stored.liveQueries.map((state) => dueLiveQuery(state, unanswered?.get(liveQueryKey(state))))
  if (unanswered?.size === 0) device.unanswered = undefined
  const tables = firstTables(device, stored)
  const linkDueAtMs = stored.isLinking ? device.linkAskedAtMs + linkEveryMs : undefined
  device.nextDueAtMs = tables.length > 0 ? 0 : Math.min(earliest([...checks, ...liveQueries]), linkDueAtMs ?? Infinity)
  return { device, checks, liveQueries, tables, linkDueAtMs }
}

/** Whether the database has the answer to what the device was handed, or nobody waits for it any more. */
function isTakenBy({ firstReported, liveQueries }: StoredDevice, states: readonly CheckState[]) {
  return (key: string, askedAtMs: number): boolean => {
    if (isInventoryQueryName(key)) return firstReported?.some((name) => key.startsWith(`report/${name}/`)) ?? true
    if (liveQueryOfKey(key)) return !liveQueries.some((query) => liveQueryKey(query) === key)
    const state = states.find(({ checkId }) => checkId === key)
    return !state || (state.ranAtMs ?? 0) >= askedAtMs
  }
}

/** An unconfirmed node is asked for the file of the device's companion, and for nothing else. */
function unconfirmed(context: AgentContext, device: DeviceState, { deviceType }: StoredDevice): LoadedDevice {
  device.reportsAs = platformOf(deviceType)
  const linkDueAtMs = context.askedUnconfirmed.get(device.nodeKey) ? undefined : 0
  return { device, checks: [], liveQueries: [], tables: [], linkDueAtMs }
}

/** A table that has not come is asked for once more: then it comes with the schedule, or says why it does not. */
export const firstRounds = 2

/** The tables that a recently enrolled device still has to report. */
function firstTables(device: DeviceState, { deviceType, hasReporting, firstReported }: StoredDevice) {
  device.reportsAs = hasReporting ? platformOf(deviceType) : undefined
  if (!device.reportsAs || !firstReported) {
    device.firstAsked = undefined
    return []
  }
  return firstRoundOf(device.reportsAs).filter((query) => {
    const name = inventoryQueryName(query)
    const isAskedEnough = (device.firstAsked?.get(name) ?? 0) >= firstRounds || device.underWay?.open.has(name) === true
    return !isAskedEnough && !firstReported.includes(query.table.name)
  })
}

export const earliest = (checks: readonly { dueAtMs: number }[]): number =>
  checks.reduce((first, { dueAtMs }) => Math.min(first, dueAtMs), Number.POSITIVE_INFINITY)
