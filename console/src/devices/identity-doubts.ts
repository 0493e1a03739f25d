import type { DeviceView } from '@muster/contract/console-views.ts'
import type { Device } from '@muster/contract/devices.ts'

export type IdentityDoubt = DeviceView['identity_doubts'][number]

export const identityWords: Readonly<Record<IdentityDoubt, string>> = {
  suspended: 'Registration suspended',
  conflict: 'Shared identity',
}

export const doubtsOf = (device: Device): IdentityDoubt[] => [
  ...(device.registration_suspended_at === null ? [] : (['suspended'] as const)),
  ...(device.identity_conflict_since === null ? [] : (['conflict'] as const)),
]
