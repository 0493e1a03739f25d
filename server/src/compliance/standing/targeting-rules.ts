import type { Platform } from '@muster/contract/checks.ts'
import type { DeviceType } from '@muster/contract/devices.ts'

const platformOfType: Record<DeviceType, Platform | undefined> = {
  Mac: 'darwin',
  Windows: 'windows',
  Linux: 'linux',
  iOS: undefined,
  Android: undefined,
}

/** The osquery platform of a device; undefined for phones and tablets, on which no check runs. */
export const platformOf = (type: DeviceType): Platform | undefined => platformOfType[type]

const tokenOfPlatform: Record<Platform, string> = { darwin: 'macos', windows: 'windows', linux: 'linux' }

export type TargetedDevice = { device_type: DeviceType; group_ids: readonly string[] }

/** A group list holds device group identifiers and `macos`, `windows`, `linux`. */
function isInAny(groups: readonly string[], device: TargetedDevice): boolean {
  if (groups.length === 0) return false
  const platform = platformOf(device.device_type)
  const token = platform && tokenOfPlatform[platform]
  return groups.some((group) => group === token || device.group_ids.includes(group))
}

/** Excluded wins over allowed; an empty list of allowed groups means every device. */
export const isAllowed = (allowed: readonly string[], excluded: readonly string[], device: TargetedDevice): boolean =>
  !isInAny(excluded, device) && (allowed.length === 0 || isInAny(allowed, device))

export type Targeting = {
  type: 'osquery' | 'custom' | 'external'
  platforms: readonly string[]
  targeted_groups: readonly string[]
  excluded_groups: readonly string[]
}

/** Whether the check runs on the device. External checks with no platform reach every device, phones too. */
export function isTargeted(check: Targeting, device: TargetedDevice): boolean {
  const platform = platformOf(device.device_type)
  const fits = platform ? check.platforms.includes(platform) : false
  const isCompatible = fits || (check.type === 'external' && check.platforms.length === 0)
  return isCompatible && isAllowed(check.targeted_groups, check.excluded_groups, device)
}
