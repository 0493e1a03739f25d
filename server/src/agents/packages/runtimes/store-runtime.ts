import { open } from 'node:fs/promises'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import type { Tx } from '../../../base/db/transact.ts'
import { lowestMacosOf } from '../macos/lowest-macos.ts'
import { keepNamedRuntime } from '../parts/keep-parts.ts'
import { lockRuntimes } from './lock-runtimes.ts'
import type { PackedRuntime } from './pack-runtime.ts'

/** Of a piece in the database, in bytes: what a process holds of a runtime at a time. */
const pieceBytes = 2 ** 20

/** Puts a packed runtime in the place of the one that the deployment has for its system, if any. */
export async function storeRuntime(
  tx: Tx,
  { system, version, executable, license, packed }: PackedRuntime,
  { source, now }: { source: 'npm' | 'file'; now: string },
): Promise<void> {
  await removeRuntime(tx, system)
  const { sha256, md5, size, needsLibatomic, head } = executable
  await tx
    .insertInto('package_runtimes')
    .values({
      ...{ system, node_version: version, source, sha256, md5, size, needs_libatomic: needsLibatomic, license },
      lowest_macos: system.startsWith('darwin-') ? (lowestMacosOf(head) ?? null) : null,
      ...{ packed_sha256: packed.sha256, packed_size: packed.size, added_at: now },
    })
    .execute()
  const file = await open(packed.path)
  try {
    for (let number = 0; number * pieceBytes < packed.size; number += 1) {
      const length = Math.min(pieceBytes, packed.size - number * pieceBytes)
      const { buffer: bytes } = await file.read(Buffer.alloc(length), 0, length, number * pieceBytes)
      await tx.insertInto('package_runtime_pieces').values({ system, number, bytes }).execute()
    }
  } finally {
    await file.close()
  }
}

/** Keeps what copies of a script fetch of it. Returns whether there was one. */
export async function removeRuntime(tx: Tx, system: RuntimeSystem): Promise<boolean> {
  await lockRuntimes(tx)
  await keepNamedRuntime(tx, system)
  const { numDeletedRows } = await tx
    .deleteFrom('package_runtimes')
    .where('system', '=', system)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
