import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
import type { ComputerType } from '@muster/contract/computer-types.ts'
import type { PackagePlatform } from '@muster/contract/packages.ts'
import { agentRuntime, runtimeGlibc } from './agent-runtime.ts'
import { packageKinds } from './package-kinds.ts'

const deviceTypes: Readonly<Record<PackagePlatform, ComputerType>> = {
  darwin: 'Mac',
  windows: 'Windows',
  linux: 'Linux',
}

/**
 * The platforms that this server makes a companion for, alone or within the bundled agent: the one place that says where a laptop
 * can prove itself at a sign-in. Pages, reports and documents ask here.
 */
export const companionTypes: readonly ComputerType[] = [
  ...new Set(packageKinds.filter(({ agent }) => agent !== 'osquery').map(({ platform }) => deviceTypes[platform])),
]

/** The same with what the system has to have: the Node that comes along decides it, or the device brings its own. */
export function listCompanionPlatforms(): CompanionPlatforms['data'] {
  const runtime = agentRuntime()
  const needs = runtime ? `glibc ${runtimeGlibc} or later on ${runtime.architecture}` : 'Node 24 or later on the device'
  return companionTypes.map((type) => ({ device_type: type, needs }))
}
