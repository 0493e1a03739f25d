import { type BomStore, bomStore, type TreeEntry, words } from './bom-store.ts'
import { folderOf, foldersAbove } from './payload-paths.ts'

/** `path` has no slash in front; `mode` is the permission bits; `size` is in bytes; `cksum` is that of POSIX. */
export type BomFile = { path: string; mode: number; size: number; cksum: number }

type Listed = { path: string; name: string; file?: BomFile }

const folderMode = 0o040755
const fileType = 0o100000
const pageSize = 4096
const smallPageSize = 128
const largestSize = 0xffff_ffff

/**
 * The root and everything below it, breadth first and by name in each folder. The Paths tree is sorted by the number of
 * the folder and then by the name, and the numbers are given in this order: a reader stops at the first key that is not.
 */
function breadthFirst(files: readonly BomFile[]): Listed[] {
  const folders = foldersAbove(files.map(({ path }) => path)).map((path) => ({ path }))
  const within = Map.groupBy<string, { path: string; file?: BomFile }>(
    [...folders, ...files.map((file) => ({ path: file.path, file }))],
    ({ path }) => folderOf(path),
  )
  const all: Listed[] = [{ path: '', name: '.' }]
  for (const { path, file } of all) {
    if (file !== undefined) continue
    const children = (within.get(path) ?? []).map((child) => ({ ...child, name: nameOf(child.path) }))
    all.push(...children.toSorted((one, other) => (one.name < other.name ? -1 : 1)))
  }
  return all
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** What is known of one path ("BOMPathInfo2"): 31 bytes, and four more of zeros for a file. */
function pathInfo(file: BomFile | undefined, mtime: number): Buffer {
  const info = Buffer.alloc(file === undefined ? 31 : 35)
  info.writeUInt8(file === undefined ? 2 : 1, 0)
  info.writeUInt8(1, 1)
  // That all of this is known. An executable may have more bits, and then sizes for each processor behind it.
  info.writeUInt16BE(15, 2)
  info.writeUInt16BE(file === undefined ? folderMode : fileType | file.mode, 4)
  // 6 to 14 are the owner and the group: root's.
  info.writeUInt32BE(mtime, 14)
  info.writeUInt32BE(file?.size ?? 0, 18)
  info.writeUInt8(1, 22)
  info.writeUInt32BE(file?.cksum ?? 0, 23)
  return info
}

/** The bytes of all files. */
function totalSize(files: readonly BomFile[]): number {
  const wrong = files.find(({ mode }) => (mode & ~0o7777) !== 0)
  if (wrong !== undefined) throw new Error(`Not permission bits: 0o${wrong.mode.toString(8)} of ${wrong.path}`)
  const total = files.reduce((sum, { size }) => sum + size, 0)
  // A file above 4 GiB would have to stand in the tree Size64.
  if (total > largestSize) throw new Error(`Too large for a bill of materials: ${total} bytes`)
  return total
}

function addPaths(store: BomStore, paths: readonly Listed[], mtime: number): number {
  const numbers = new Map(paths.map(({ path }, index) => [path, index + 1]))
  const entries = paths.map(({ path, name, file }): TreeEntry => {
    // The root is in no folder, which is 0.
    const parent = path === '' ? 0 : (numbers.get(folderOf(path)) ?? 0)
    const info = store.add(pathInfo(file, mtime))
    const value = store.add(Buffer.concat([words(parent), Buffer.from(`${name}\0`, 'latin1')]))
    return [store.add(words(numbers.get(path) ?? 0, info)), value]
  })
  return store.addTree(entries, pageSize)
}

/**
 * The bill of materials of a package, which the installer keeps as its receipt: every folder above the files, with mode
 * 755, and the files, all owned by root and with the time `mtime` in seconds.
 */
export function writeBom(files: readonly BomFile[], mtime: number): Buffer {
  const size = totalSize(files)
  const paths = breadthFirst(files)
  const store = bomStore()
  // Version 1, one path more than there are, and the bytes in one sum: Apple's tools count executables by processor.
  store.name('BomInfo', store.add(words(1, paths.length + 1, 1, 0, 0, size, 0)))
  store.name('Paths', addPaths(store, paths, mtime))
  // Hard links, paths by a pattern, sizes above 4 GiB: none of them, but readers expect the trees.
  store.name('HLIndex', store.addTree([], pageSize))
  const patterns = store.addTree([], smallPageSize)
  store.name('VIndex', store.add(Buffer.concat([words(1, patterns, 0), Buffer.alloc(1)])))
  store.name('Size64', store.addTree([], pageSize))
  return store.toBytes()
}
