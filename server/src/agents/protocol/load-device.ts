import type { InventoryQuery } from '../../reporting/catalogue/catalogue.ts'
import { firstRoundOf, inventoryQueryName, platformOf } from '../../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import { type CheckPlan, loadPlan } from './check-plan.ts'
import type { StoredDevice } from './device-queries.ts'
import { type DeviceState, isStale, type OrganizationState } from './device-registry.ts'
import { type DueCheck, type DueLiveQuery, dueLiveQuery, dueTime, liveQueryKey, unansweredMs } from './due-rules.ts'
import { nodeKeyPurpose, originOf } from './node-key.ts'

/** A device as it has just been read from the database, with what it is due to be asked now or later. */
export type LoadedDevice = {
  device: DeviceState
  checks: DueCheck[]
  liveQueries: DueLiveQuery[]
  tables: readonly InventoryQuery[]
  /** When it is to be asked for the file of a companion; undefined when none waits for it. */
  linkDueAtMs: number | undefined
}

/**
 * The device of a node key; undefined when the key is not valid. Reads the database for a device that this
 * process does not know yet, or of which a notice has come. Fails with status 429 for a made-up key from an address
 * whose network has sent too many of them.
 */
export async function authenticate(
  context: AgentContext,
  nodeKey: string,
  address: string,
): Promise<DeviceState | LoadedDevice | undefined> {
  const known = context.registry.find(nodeKey)
  if (known) return isStale(known) ? reloadDevice(context, known) : known
  const origin = originOf(context.secrets, nodeKey)
  if (origin === 'foreign') return undefined
  if (origin === 'unknown' && context.unknownNodeKeys.isSpent(address)) throw tooManyUnknownKeys()
  const noticesBefore = context.registry.noticesTaken()
  const stored = await loadStored(context, nodeKey)
  if (!stored) {
    context.unknownNodeKeys.spend(address)
    return undefined
  }
  return remember(context, nodeKey, stored, noticesBefore)
}

/** The device of a node key; a node that was not confirmed in time has none. */
async function loadStored({ clock, loadDevice, secrets }: AgentContext, nodeKey: string) {
  const stored = await loadDevice(secrets.lookupHash(nodeKeyPurpose, nodeKey))
  const isOver = stored != null && stored.unconfirmedUntil !== null && stored.unconfirmedUntil <= clock()
  return isOver ? undefined : stored
}

async function remember(
  context: AgentContext,
  nodeKey: string,
  stored: StoredDevice,
  noticesBefore: number,
): Promise<LoadedDevice> {
  const device = context.registry.find(nodeKey) ?? context.registry.add(nodeKey, stored)
  const plan = await planOf(context, device.organization)
  // A notice that came before the device was remembered found nobody to tell: then it stays stale.
  if (context.registry.noticesTaken() === noticesBefore) markLoaded(device, device)
  return settleSchedule(context, device, stored, plan)
}

/** As `authenticate`, for agents before osquery 5.23, which send the node key in the body only. */
export async function authenticateByBody(
  context: AgentContext,
  { node_key: nodeKey }: Record<string, unknown>,
  address: string,
) {
  return typeof nodeKey === 'string' ? authenticate(context, nodeKey, address) : undefined
}

/** A device is asked this often for the file of a companion, which may not have been written yet. */
export const linkEveryMs = 15_000

const tooManyUnknownKeys = () =>
  Object.assign(new Error('Too many unknown node keys came from this address. Try again later.'), { statusCode: 429 })

export const stateOf = (found: DeviceState | LoadedDevice): DeviceState => ('device' in found ? found.device : found)

/** Remembers that the device spoke at `now`. */
export function noteContact(context: AgentContext, device: DeviceState, now: string): void {
  device.isInUse = true
  // Until it is confirmed nobody knows whether the device spoke.
  if (device.isUnconfirmed) return
  context.presence.note(device.organization.id, device.deviceId, now)
}

/** Reads a device again; undefined, and forgotten, when its node key is no longer valid. */
export async function reloadDevice(context: AgentContext, device: DeviceState): Promise<LoadedDevice | undefined> {
  const before = { notices: device.notices, organization: { notices: device.organization.notices } }
  const noticesBefore = context.registry.noticesTaken()
  const stored = await loadStored(context, device.nodeKey)
  if (!stored) {
    context.registry.remove(device)
    return undefined
  }
  if (stored.deviceId !== device.deviceId) {
    // Its device was merged into another one, as which the agent continues.
    context.registry.remove(device)
    return remember(context, device.nodeKey, stored, noticesBefore)
  }
  const plan = await planOf(context, device.organization)
  markLoaded(device, before)
  return settleSchedule(context, device, stored, plan)
}

function markLoaded(device: DeviceState, at: { notices: number; organization: { notices: number } }): void {
  device.loadedNotices = at.notices
  device.loadedOrganizationNotices = at.organization.notices
}

/** The checks of an organization, loaded anew after a notice to all of it. */
export function planOf(context: AgentContext, organization: OrganizationState): Promise<CheckPlan> {
  if (organization.plan) return organization.plan
  const before = organization.lastPlan
  const loading = loadPlan(context.db, organization.id, before)
  organization.plan = loading
  loading.then(
    (plan) => {
      organization.lastPlan = plan
      for (const { checkId, query } of plan.values()) {
        if ('fault' in query && before?.get(checkId)?.query !== query) {
          context.log.warn({ organizationId: organization.id, checkId, fault: query.fault }, 'check cannot run')
        }
      }
    },
    () => {
      if (organization.plan === loading) organization.plan = undefined
    },
  )
  return loading
}

function settleSchedule(
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
  const checks = stored.checks.flatMap((state) => {
    const check = plan.get(state.checkId)
    if (!check) return []
    const notedAtMs = Date.parse(noted.get(state.checkId) ?? '') || 0
    const ranAtMs = notedAtMs > (state.ranAtMs ?? 0) ? notedAtMs : state.ranAtMs
    return dueTime(check, { ...state, ranAtMs }, unanswered?.get(state.checkId), device.deviceId)
  })
  const liveQueries = stored.liveQueries.map((state) => dueLiveQuery(state, unanswered?.get(liveQueryKey(state))))
  if (unanswered?.size === 0) device.unanswered = undefined
  const tables = firstTables(device, stored)
  const linkDueAtMs = stored.isLinking ? device.linkAskedAtMs + linkEveryMs : undefined
  device.nextDueAtMs = tables.length > 0 ? 0 : Math.min(earliest([...checks, ...liveQueries]), linkDueAtMs ?? Infinity)
  return { device, checks, liveQueries, tables, linkDueAtMs }
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
