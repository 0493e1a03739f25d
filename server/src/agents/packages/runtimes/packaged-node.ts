import type { Reader } from '../../../base/db/transact.ts'
import { fail } from '../../../base/errors.ts'
import { openAddedRuntime } from './added-runtime.ts'
import { isOwnSystem, ownRuntime, packOwnRuntime } from './own-runtime.ts'
import { lackOf, type NodeFor, systemOfPackage } from './system-rules.ts'

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

export type OpenNode = (folder: string, of: NodeFor) => Promise<PackagedNode>

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
    if (own && isOwnSystem(system)) return packOwnRuntime(folder, own)
    return fail('unavailable', { message: lackOf(system) })
  }
