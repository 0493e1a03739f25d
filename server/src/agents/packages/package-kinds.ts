import { createHash } from 'node:crypto'
import type {
  PackageAgent,
  PackageArchitecture,
  PackageFormat,
  PackagePlatform,
  RuntimeSystem,
} from '@muster/contract/packages.ts'
import type { Reader } from '../../base/db/transact.ts'
import { type OwnRuntime, ownRuntime } from './runtimes/own-runtime.ts'
import { listRuntimes } from './runtimes/runtime-queries.ts'
import { systemOfPackage } from './runtimes/system-rules.ts'

export type PackageKind = {
  agent: PackageAgent
  platform: PackagePlatform
  format: PackageFormat
  architecture: PackageArchitecture
}

/** The Node that it brings: one that was added has a hash, the server's own has none. A script has the hash of all that it names. */
export type WantedPackage = PackageKind & { node_version: string | null; node_sha256: string | null }

type Added = { system: RuntimeSystem; node_version: string; sha256: string }

const configurations = [
  { platform: 'linux', format: 'deb' },
  { platform: 'linux', format: 'tar.gz' },
  { platform: 'darwin', format: 'sh' },
  { platform: 'windows', format: 'ps1' },
] as const

/** The programs that run on a Node, and what they are made for. */
export const programKinds = [
  { agent: 'muster_companion', platform: 'linux', format: 'deb' },
  { agent: 'muster_companion', platform: 'linux', format: 'tar.gz' },
  { agent: 'muster_companion', platform: 'darwin', format: 'pkg' },
  { agent: 'muster_agent', platform: 'linux', format: 'deb' },
  { agent: 'muster_agent', platform: 'linux', format: 'tar.gz' },
] as const satisfies readonly Omit<PackageKind, 'architecture'>[]

const withoutNode = { architecture: 'any', node_version: null, node_sha256: null } as const

/** Every package that an organization has on a server with these runtimes, in the order in which they are made. */
export function wantedPackages(own: OwnRuntime | undefined, added: readonly Added[]): WantedPackage[] {
  return [
    ...configurations.map((kind): WantedPackage => ({ agent: 'osquery', ...kind, ...withoutNode })),
    ...programKinds.flatMap((kind) => nodesFor(kind.platform, own, added).map((node) => ({ ...kind, ...node }))),
    ...scriptForMacs(added),
  ]
}

/** One for every processor, which is made again when a Node for Macs is added, replaced or removed. */
function scriptForMacs(added: readonly Added[]): WantedPackage[] {
  const nodes = added
    .filter(({ system }) => system.startsWith('darwin-'))
    .map(({ system, sha256 }) => `${system} ${sha256}`)
  if (nodes.length === 0) return []
  const hash = createHash('sha256').update(nodes.toSorted().join('\n')).digest('hex')
  return [{ agent: 'muster_companion', platform: 'darwin', format: 'sh', ...withoutNode, node_sha256: hash }]
}

type Node = Omit<WantedPackage, 'agent' | 'platform' | 'format'>

/** Where this server's own Node runs on no other machine, devices bring one, unless one for their processor was added. */
function nodesFor(platform: PackagePlatform, own: OwnRuntime | undefined, added: readonly Added[]): Node[] {
  const nodes = (['x64', 'arm64'] as const).flatMap((architecture): Node[] => {
    const found = added.find(({ system }) => system === systemOfPackage({ platform, architecture }))
    if (found) return [{ architecture, node_version: found.node_version, node_sha256: found.sha256 }]
    if (platform !== 'linux' || own?.architecture !== architecture) return []
    return [{ architecture, node_version: own.version, node_sha256: null }]
  })
  return platform === 'linux' && !own ? [withoutNode, ...nodes] : nodes
}

/** The same for this server. */
export const listWantedPackages = async (reader: Reader): Promise<WantedPackage[]> =>
  wantedPackages(ownRuntime(), await listRuntimes(reader))

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

/** What people call it: `osquery for Linux (.deb)`, `Companion for Linux, arm64 (.deb)`. */
export function titleOf({ agent, platform, format, architecture }: PackageKind): string {
  const processor = architecture === 'any' ? '' : `, ${architecture}`
  return `${agentNames[agent]} for ${platformNames[platform]}${processor} (.${format})`
}
