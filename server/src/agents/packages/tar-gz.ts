import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { createTarPacker, packTar, type TarEntry } from 'modern-tar'

/** A file of a package; `path` has no slash in front. */
export type TreeFile = { path: string; mode: number; content: string | Buffer }

const compress = promisify(gzip)
const blockSize = 512
const endOfArchive = 2 * blockSize

const owner = { uid: 0, gid: 0, uname: 'root', gname: 'root' }

/** An entry with nothing of this machine or moment in it. */
const fileHeader = (path: string, mode: number, size: number, mtime: Date) => ({
  ...owner,
  name: `./${path}`,
  type: 'file' as const,
  mode,
  size,
  mtime,
})

const folderHeader = (path: string, mtime: Date) => ({
  ...owner,
  name: path === '' ? './' : `./${path}/`,
  type: 'directory' as const,
  mode: 0o755,
  size: 0,
  mtime,
})

function fileEntry({ path, mode, content }: TreeFile, mtime: Date): TarEntry {
  const body = Buffer.from(content)
  return { header: fileHeader(path, mode, body.length, mtime), body }
}

/** Every folder above the files, each once and before what is in it. */
function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set([''])
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1)
    parts.forEach((_, index) => void folders.add(parts.slice(0, index + 1).join('/')))
  }
  return [...folders].toSorted()
}

const entriesOf = (files: readonly TreeFile[], mtime: Date, others: readonly string[] = []) => [
  ...foldersOf([...files.map(({ path }) => path), ...others]).map(
    (path): TarEntry => ({ header: folderHeader(path, mtime) }),
  ),
  ...files.map((file) => fileEntry(file, mtime)),
]

/** A whole `.tar.gz`: owned by root, folders first, the same bytes for the same files and `mtime`. */
export async function tarGz(files: readonly TreeFile[], mtime: Date): Promise<Buffer> {
  return compress(await packTar(entriesOf(files, mtime)))
}

// RFC 1952 §2.2 lets a gzip file have several members, which may begin and end anywhere in what they compress.

/** The beginning of a `.tar.gz` that other members continue, with the folders of what is at `others` there. */
export const tarGzBeginning = (files: readonly TreeFile[], others: readonly string[], mtime: Date): Promise<Buffer> =>
  compressUnended(entriesOf(files, mtime, others))

/** A member in the middle: files whose folders are in the beginning. */
export const fileEntries = (files: readonly TreeFile[], mtime: Date): Promise<Buffer> =>
  compressUnended(files.map((file) => fileEntry(file, mtime)))

/** The member after which one with the bytes of a file comes. */
export async function beginFile(path: string, mode: number, size: number, mtime: Date): Promise<Buffer> {
  const { readable, controller } = createTarPacker()
  controller.add(fileHeader(path, mode, size, mtime))
  const { value: header } = await readable.getReader().read()
  if (header?.length !== blockSize) throw new Error(`The header of ${path} is no single block`)
  return compress(header)
}

/** The last member: what fills the block in which a file of this size ends, and the end of the archive. */
export const endTar = (size: number): Promise<Buffer> =>
  compress(Buffer.alloc(((blockSize - (size % blockSize)) % blockSize) + endOfArchive))

async function compressUnended(entries: readonly TarEntry[]): Promise<Buffer> {
  const bytes = await packTar(entries)
  return compress(bytes.subarray(0, bytes.length - endOfArchive))
}
