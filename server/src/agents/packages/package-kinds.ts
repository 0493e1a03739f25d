import type { PackageAgent, PackageFormat, PackagePlatform } from '@muster/contract/packages.ts'

export type PackageKind = { agent: PackageAgent; platform: PackagePlatform; format: PackageFormat }

/** Every package that an organization has, in the order in which they are made. */
export const packageKinds: readonly PackageKind[] = [
  { agent: 'osquery', platform: 'linux', format: 'deb' },
  { agent: 'osquery', platform: 'linux', format: 'tar.gz' },
  { agent: 'osquery', platform: 'darwin', format: 'sh' },
  { agent: 'osquery', platform: 'windows', format: 'ps1' },
  { agent: 'muster_companion', platform: 'linux', format: 'deb' },
  { agent: 'muster_companion', platform: 'linux', format: 'tar.gz' },
  { agent: 'muster_agent', platform: 'linux', format: 'deb' },
  { agent: 'muster_agent', platform: 'linux', format: 'tar.gz' },
]

const agentNames: Readonly<Record<PackageAgent, string>> = {
  osquery: 'osquery',
  muster_companion: 'Companion',
  muster_agent: 'Muster agent',
}

const platformNames: Readonly<Record<PackagePlatform, string>> = {
  darwin: 'macOS',
  linux: 'Linux',
  windows: 'Windows',
}

/** What people call it: `osquery for Linux (.deb)`. */
export const titleOf = ({ agent, platform, format }: PackageKind): string =>
  `${agentNames[agent]} for ${platformNames[platform]} (.${format})`
