import { foldersAbove } from './payload-paths.ts'

const blockSize = 512

/**
 * What a PackageInfo says of its payload. `numberOfFiles` counts everything in it, the folders and the root as well.
 * `installKBytes` is by blocks of 512 bytes, as pkgbuild has it: those that a file begins, one for each folder but the
 * root, and two of them a kilobyte, rounded up. `size` is in bytes.
 */
export function installNumbers(files: readonly { path: string; size: number }[]): {
  numberOfFiles: number
  installKBytes: number
} {
  const folders = foldersAbove(files.map(({ path }) => path)).length
  const blocks = files.reduce((total, { size }) => total + Math.ceil(size / blockSize), folders)
  return { numberOfFiles: files.length + folders + 1, installKBytes: Math.ceil(blocks / 2) }
}
