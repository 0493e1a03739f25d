import type { PackageArchitecture, PackagePlatform, RuntimeSystem } from '@muster/contract/packages.ts'

/** The lowest version of glibc that a Node for Linux runs on. */
export const runtimeGlibc = '2.28'

export type NodeFor = { platform: PackagePlatform; architecture: Exclude<PackageArchitecture, 'any'> }

/** As Node names it. */
export const systemOfPackage = ({ platform, architecture }: NodeFor): RuntimeSystem =>
  `${platform === 'windows' ? 'win' : platform}-${architecture}` as RuntimeSystem

/** The command that brings a Node to this server. */
export const commandToAdd = (system: RuntimeSystem): string => `muster packages add-runtime ${system}`

/** Why packages for this system cannot be built. */
export const lackOf = (system: RuntimeSystem): string =>
  `This server has no Node for ${system}: run ${commandToAdd(system)} on it.`
