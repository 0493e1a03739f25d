import type { AgentContext } from './agent-context.ts'
import { type CheckPlan, loadPlan } from './check-plan.ts'
import type { StoredDevice } from './device-queries.ts'
import { type DeviceState, isStale, type OrganizationState } from './device-registry.ts'
import { nodeKeyPurpose, originOf } from './node-key.ts'
import { type LoadedDevice, settleSchedule } from './settle-schedule.ts'

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
