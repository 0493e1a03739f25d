import type { DeviceType } from './devices.ts'

/** The platforms that a companion can be made for: it runs on no phone or tablet. */
export const computerTypes = ['Mac', 'Windows', 'Linux'] as const satisfies readonly DeviceType[]
export type ComputerType = (typeof computerTypes)[number]

/** What people call the system of a device. */
export const systemNames: Readonly<Record<DeviceType, string>> = {
  Mac: 'macOS',
  Windows: 'Windows',
  Linux: 'Linux',
  iOS: 'iOS',
  Android: 'Android',
}

/** Their systems by name: `macOS or Windows`; empty of none. */
export function systemsIn(types: readonly DeviceType[]): string {
  const names = types.map((type) => systemNames[type])
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
