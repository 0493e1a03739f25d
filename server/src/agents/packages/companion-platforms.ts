import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
import { type ComputerType, computerTypes } from '@muster/contract/computer-types.ts'
import type { PackageArchitecture, PackagePlatform } from '@muster/contract/packages.ts'
import type { Reader } from '../../base/db/transact.ts'
import { companionNode } from './companion-on-linux.ts'
import { listWantedPackages, programKinds, type WantedPackage, wantedPackages } from './package-kinds.ts'
import { isLinkedWithLibatomic, ownRuntime } from './runtimes/own-runtime.ts'
import { lowestMajor, pinnedRuntimes } from './runtimes/pinned-runtimes.ts'
import { type AddedRuntime, listRuntimes } from './runtimes/runtime-queries.ts'
import { commandToAdd, runtimeGlibc, systemOfPackage } from './runtimes/system-rules.ts'

const platforms: Readonly<Record<ComputerType, PackagePlatform>> = { Mac: 'darwin', Windows: 'windows', Linux: 'linux' }

/** Those that a package brings a companion to, alone or within the bundled agent. */
const typesOf = (packages: readonly Pick<WantedPackage, 'agent' | 'platform'>[]): ComputerType[] =>
  computerTypes.filter((type) =>
    packages.some(({ agent, platform }) => agent !== 'osquery' && platform === platforms[type]),
  )

/**
 * The platforms that this server makes a companion for: those of packages of which the Node is here. The one place that says where
 * a laptop can prove itself at a sign-in; pages, reports and the terminal ask here.
 */
export const listCompanionTypes = async (reader: Reader): Promise<ComputerType[]> =>
  typesOf(await listWantedPackages(reader))

/** Those that any server can make a companion for, once it has a Node: what documents say. */
export const companionTypes: readonly ComputerType[] = typesOf(programKinds)

/** The same with what the system has to have, and what would bring a companion to more processors. */
export async function listCompanionPlatforms(reader: Reader): Promise<CompanionPlatforms> {
  const added = await listRuntimes(reader)
  const wanted = wantedPackages(ownRuntime(), added)
  const companions = wanted.filter(({ agent }) => agent === 'muster_companion')
  const data = typesOf(wanted).map((type) => {
    const own = companions.filter(({ platform }) => platform === platforms[type])
    const byProcessor = new Map(own.map((one) => [one.architecture, one]))
    return {
      device_type: type,
      nodes: [...byProcessor.values()].map((one) => ({ architecture: one.architecture, needs: needsOf(one, added) })),
    }
  })
  return { data, missing: missingOf(companions) }
}

function needsOf({ platform, architecture, node_sha256: hash }: WantedPackage, added: readonly AddedRuntime[]): string {
  if (platform === 'darwin') return macsOf(architecture, added)
  if (architecture === 'any')
    return `Node on the device: ${companionNode} or later for the companion, ${lowestMajor} or later for the bundled agent`
  const system = systemOfPackage({ platform, architecture })
  const found = added.find((one) => one.system === system)
  const isLinked = hash === null ? isLinkedWithLibatomic() : found?.needs_libatomic
  return `glibc ${runtimeGlibc} or later${isLinked ? ' and libatomic' : ''} on ${architecture}`
}

/** The Macs that a package for this processor is for, or the script for all that there is a Node for. */
function macsOf(of: PackageArchitecture, added: readonly AddedRuntime[]): string {
  const processors = new Map<string, string[]>()
  for (const architecture of ['arm64', 'x64'] as const) {
    const found = added.find(({ system }) => system === systemOfPackage({ platform: 'darwin', architecture }))
    if (!found || (of !== 'any' && of !== architecture)) continue
    const macos = found.lowest_macos === null ? 'macOS' : `macOS ${found.lowest_macos} or later`
    const name = architecture === 'arm64' ? 'Apple silicon' : 'Intel'
    processors.set(macos, [...(processors.get(macos) ?? []), name])
  }
  return [...processors].map(([macos, names]) => `${macos} on ${names.join(' or ')}`).join(', or ')
}

/** The runtimes that were not added though packages would bring them. */
function missingOf(companions: readonly WantedPackage[]): CompanionPlatforms['missing'] {
  const there = new Set<string>(
    companions.flatMap(({ platform, architecture }) =>
      architecture === 'any' ? [] : [systemOfPackage({ platform, architecture })],
    ),
  )
  return companionTypes.flatMap((type) =>
    (['x64', 'arm64'] as const).flatMap((architecture) => {
      const system = systemOfPackage({ platform: platforms[type], architecture })
      if (there.has(system)) return []
      const { version } = pinnedRuntimes[system]
      return [{ device_type: type, architecture, node_version: version, command: commandToAdd(system) }]
    }),
  )
}
