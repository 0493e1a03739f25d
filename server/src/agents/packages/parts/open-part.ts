import type { Reader } from '../../../base/db/transact.ts'
import type { FilePart } from '../file-parts.ts'
import { openPacked } from '../runtimes/added-runtime.ts'
import { findPiece, findSize } from '../runtimes/runtime-queries.ts'

/**
 * A part that copies of packages name, by the SHA-256 that they know it by; undefined where there is none. What has more than one
 * piece is read from a file in the folder that is given.
 */
export async function openPart(
  reader: Reader,
  folder: () => Promise<string>,
  sha256: string,
): Promise<FilePart | undefined> {
  const found = await findSize(reader, sha256)
  if (!found) return undefined
  if (found.pieces === 1) return findPiece(reader, sha256, 0)
  return openPacked(reader, await folder(), { sha256, size: found.size, name: 'A Node' })
}
