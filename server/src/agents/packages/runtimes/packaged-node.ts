import type { PackageArchitecture, PackagePlatform, RuntimeSystem } from '@muster/contract/packages.ts'
import type { Reader } from '../../../base/db/transact.ts'
import { fail } from '../../../base/errors.ts'
import { openAddedRuntime } from './added-runtime.ts'
import { ownRuntime, packOwnRuntime } from './own-runtime.ts'

/** The Node that a package brings along. */
export type PackagedNode = {
  /** The executable as a member of gzip. */
  part: { path: string; size: number }
  /** Of the executable, in hexadecimal. */
  md5: string
  /** Of the executable, in bytes. */
  size: number
  license: string | undefined
  needsLibatomic: boolean
}

/** The lowest version of glibc that a Node for Linux runs on. */
export const runtimeGlibc = '2.28'

type For = { platform: PackagePlatform; architecture: Exclude<PackageArchitecture, 'any'> }

export type OpenNode = (folder: string, of: For) => Promise<PackagedNode>

/** As Node names it. */
export const systemOfPackage = ({ platform, architecture }: For): RuntimeSystem =>
  `${platform === 'windows' ? 'win' : platform}-${architecture}` as RuntimeSystem

/** The command that brings a runtime to this server. */
export const commandToAdd = (system: RuntimeSystem): string => `muster packages add-runtime ${system}`

/**
 * The Node that packages for this processor bring: the one that was added to the deployment, else the server's own. Its packed
 * executable is a file in `folder`. Fails with `unavailable` where there is neither.
 */
export const packagedNodes =
  (reader: Reader): OpenNode =>
  async (folder, of) => {
    const system = systemOfPackage(of)
    const added = await openAddedRuntime(reader, folder, system)
    if (added) return added
    const own = ownRuntime()
    if (own && system === `linux-${own.architecture}`) return packOwnRuntime(folder, own)
    return fail('unavailable', { message: lackOf(system) })
  }

/** Why packages for this system cannot be built. */
export const lackOf = (system: RuntimeSystem): string =>
  `This server has no Node for ${system}: run ${commandToAdd(system)} on it.`
