import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'

/** A file of a package; `path` has no slash in front. */
export type TreeFile = { path: string; mode: number; content: string | Buffer }

const compress = promisify(gzip)
const endOfArchive = 1024

const owner = { uid: 0, gid: 0, uname: 'root', gname: 'root' }

/** An entry with nothing of this machine or moment in it. */
export const fileHeader = (path: string, mode: number, size: number, mtime: Date) => ({
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
  ...files.map(({ path, mode, content }): TarEntry => {
    const body = Buffer.from(content)
    return { header: fileHeader(path, mode, body.length, mtime), body }
  }),
]

/** A whole `.tar.gz`: owned by root, folders first, the same bytes for the same files and `mtime`. */
export async function tarGz(files: readonly TreeFile[], mtime: Date): Promise<Buffer> {
  return compress(await packTar(entriesOf(files, mtime)))
}

/**
 * The beginning of a `.tar.gz` that another gzip member ends (RFC 1952 §2.2 lets a file have several), with the folders
 * of what is at `others` there.
 */
export async function tarGzBeginning(
  files: readonly TreeFile[],
  others: readonly string[],
  mtime: Date,
): Promise<Buffer> {
  const bytes = await packTar(entriesOf(files, mtime, others))
  return compress(bytes.subarray(0, bytes.length - endOfArchive))
}
