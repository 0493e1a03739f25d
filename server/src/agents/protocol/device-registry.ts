import type { OsqueryPlatform } from '@muster/contract/osquery-schema.ts'
import type { CheckPlan } from './check-plan.ts'
import type { StoredDevice } from './device-queries.ts'
import type { ReadUnderWay } from './read-under-way.ts'

export type OrganizationState = {
  readonly id: string
  /** Raised by a notice to the whole organization. */
  notices: number
  plan: Promise<CheckPlan> | undefined
  /** The plan before, for what it has rendered. */
  lastPlan: CheckPlan | undefined
  readonly devices: Map<string, DeviceState>
}

/** What this process remembers of a device; 100,000 of them are held, so it is little. */
export type DeviceState = {
  readonly nodeKey: string
  readonly organization: OrganizationState
  readonly deviceId: string
  readonly deviceType: StoredDevice['deviceType']
  /** Of a node that the device's companion has not confirmed yet. It is loaded at each request, and not asked for results. */
  readonly isUnconfirmed: boolean
  /** Raised by a notice to the device. */
  notices: number
  /** The notices that the last load has taken in. */
  loadedNotices: number
  loadedOrganizationNotices: number
  nextDueAtMs: number
  /** What the device was asked and has not answered yet: by check or `liveQueryKey`, when, in milliseconds since the epoch. */
  unanswered: Map<string, number> | undefined
  /** What it was handed and has not brought back; undefined when there is nothing. */
  underWay: ReadUnderWay | undefined
  /** Names that this process has handed to it and that no write has brought back: their codes need not be checked. */
  names: Set<string> | undefined
  /** When it was last asked for the file of a companion, in milliseconds since the epoch. */
  linkAskedAtMs: number
  /** As what it reports tables; undefined where it reports none. */
  reportsAs: OsqueryPlatform | undefined
  /** How often it was asked for each table since it enrolled, as long as that is not long ago. */
  firstAsked: Map<string, number> | undefined
  isInUse: boolean
}

type Added = Pick<StoredDevice, 'organizationId' | 'deviceId' | 'deviceType' | 'unconfirmedUntil'>

export type DeviceRegistry = ReturnType<typeof deviceRegistry>

/** True when something about the device may have changed since it was loaded. */
export const isStale = (device: DeviceState): boolean =>
  device.loadedNotices !== device.notices || device.loadedOrganizationNotices !== device.organization.notices

/** Has the device loaded again before it is asked anything. */
export function markStale(device: DeviceState): void {
  device.notices += 1
}

/** Devices by node key, and by organization for the notices. */
export function deviceRegistry() {
  const byNodeKey = new Map<string, DeviceState>()
  const organizations = new Map<string, OrganizationState>()
  const watchers = new Map<string, Set<() => void>>()
  let noticesTaken = 0

  function organizationOf(id: string): OrganizationState {
    const known = organizations.get(id)
    if (known) return known
    const made = { id, notices: 0, plan: undefined, lastPlan: undefined, devices: new Map<string, DeviceState>() }
    organizations.set(id, made)
    return made
  }

  /**
   * Adds a device as stale: it must be loaded, or loaded again if a notice came in the meantime. One whose node is not
   * confirmed is not remembered, however many enroll as it.
   */
  function add(nodeKey: string, stored: Added): DeviceState {
    const { deviceId, deviceType, unconfirmedUntil } = stored
    const organization = organizationOf(stored.organizationId)
    const device: DeviceState = {
      // A slice of a header would keep the whole header alive.
      nodeKey: Buffer.from(nodeKey, 'latin1').toString('latin1'),
      organization,
      deviceId,
      deviceType,
      isUnconfirmed: unconfirmedUntil !== null,
      notices: 0,
      loadedNotices: -1,
      loadedOrganizationNotices: -1,
      nextDueAtMs: 0,
      unanswered: undefined,
      underWay: undefined,
      names: undefined,
      linkAskedAtMs: 0,
      reportsAs: undefined,
      firstAsked: undefined,
      isInUse: true,
    }
    if (device.isUnconfirmed) return device
    byNodeKey.set(device.nodeKey, device)
    const earlier = organization.devices.get(deviceId)
    if (earlier) earlier.notices += 1
    organization.devices.set(deviceId, device)
    return device
  }

  function remove(device: DeviceState): void {
    byNodeKey.delete(device.nodeKey)
    const { devices } = device.organization
    if (devices.get(device.deviceId) === device) devices.delete(device.deviceId)
  }

  function markOrganization(organization: OrganizationState): void {
    organization.notices += 1
    organization.plan = undefined
  }

  /** Calls back at every notice to the device, or to its organization; returns what ends that. */
  function watch(organizationId: string, deviceId: string, onNotice: () => void): () => void {
    const keys = [`${organizationId}/${deviceId}`, `${organizationId}/`]
    for (const key of keys) watchers.set(key, (watchers.get(key) ?? new Set()).add(onNotice))
    return () => {
      for (const key of keys) {
        const left = watchers.get(key)
        left?.delete(onNotice)
        if (left?.size === 0) watchers.delete(key)
      }
    }
  }

  return {
    watch,
    organization: organizationOf,
    find: (nodeKey: string): DeviceState | undefined => byNodeKey.get(nodeKey),
    add,
    remove,
    /** Null: the whole organization, its plan included. */
    takeNotice(organizationId: string, deviceId: string | null): void {
      noticesTaken += 1
      const organization = organizations.get(organizationId)
      if (organization && deviceId === null) markOrganization(organization)
      const device = deviceId === null ? undefined : organization?.devices.get(deviceId)
      if (device) device.notices += 1
      for (const onNotice of [...(watchers.get(`${organizationId}/${deviceId ?? ''}`) ?? [])]) onNotice()
    },
    /** Notices may have been missed: nothing remembered counts without being loaded again. */
    distrustAll(): void {
      noticesTaken += 1
      for (const organization of organizations.values()) markOrganization(organization)
    },
    /** Forgets the devices that were not in use since the last call. */
    forgetUnused(): void {
      for (const device of [...byNodeKey.values()]) {
        if (device.isInUse) device.isInUse = false
        else remove(device)
      }
    },
    noticesTaken: (): number => noticesTaken,
    size: (): number => byNodeKey.size,
  }
}
