const isPath = (path: string): boolean =>
  /^[\x20-\x7e]+$/.test(path) && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')

const parentsOf = (path: string): string[] => {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** The folder that a file or folder is in; that of the payload itself is the empty text. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/**
 * Every folder above these files, each once and after the one it is in, without the root of the payload. The paths are
 * ASCII and have no slash in front; a path that is no path, or stands there twice, is refused.
 */
export function foldersAbove(paths: readonly string[]): string[] {
  for (const path of paths) {
    if (!isPath(path)) throw new Error(`Not a path in a payload: ${JSON.stringify(path)}`)
  }
  const folders = new Set(paths.flatMap(parentsOf))
  const twice = paths.find((path, index) => folders.has(path) || paths.indexOf(path) !== index)
  if (twice !== undefined) throw new Error(`Twice in a payload: ${twice}`)
  return [...folders].toSorted()
}
