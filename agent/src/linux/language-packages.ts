import { type Constraint, columns, type Query, type Row, type Table, wantedValues } from '../tables/table.ts'
import { listDirectory, readText, statOf } from './read-files.ts'

/** The header of a Python METADATA or PKG-INFO file, keys in lower case; the first of repeated keys counts. */
export function parseMetadata(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const line of text.split('\n')) {
    if (line.trim() === '') break
    const [, key, value] = /^([A-Za-z-]+):\s*(.*)$/.exec(line) ?? []
    if (key) fields[key.toLowerCase()] ??= value?.trim() ?? ''
  }
  return fields
}

function pythonFolders(): string[] {
  const interpreters = (root: string) =>
    listDirectory(root)
      .filter((name) => /^python\d/.test(name))
      .map((name) => `${root}/${name}`)
  return [...interpreters('/usr/lib'), ...interpreters('/usr/lib64'), ...interpreters('/usr/local/lib')].flatMap(
    (path) => [`${path}/dist-packages`, `${path}/site-packages`],
  )
}

export const pythonPackages: Table = {
  name: 'python_packages',
  columns: columns('name version summary author license path directory'),
  pushed: { directory: 'equal' },
  *collect(constraints, query) {
    for (const directory of wantedFolders(constraints, pythonFolders)) {
      for (const entry of listDirectory(directory).filter((name) => /\.(dist|egg)-info$/.test(name))) {
        const row = pythonRow(`${directory}/${entry}`, directory, query)
        if (row) yield row
      }
    }
  },
}

function pythonRow(path: string, directory: string, query: Query): Row | undefined {
  query.remainingMs()
  const text = readText(`${path}/METADATA`) ?? readText(`${path}/PKG-INFO`) ?? readText(path)
  if (text === undefined) return undefined
  const fields = parseMetadata(text)
  return {
    name: fields['name'],
    version: fields['version'],
    summary: fields['summary'],
    author: fields['author'],
    license: fields['license'],
    path,
    directory,
  }
}

/** The directories that the query names, or the usual ones; a directory that two names lead to counts once. */
function wantedFolders(constraints: Constraint[], usual: () => string[]): string[] {
  const folders = wantedValues(constraints, 'directory') ?? usual()
  const seen = new Set<string>()
  return folders.filter((folder) => {
    const stats = folder.startsWith('/') ? statOf(folder) : undefined
    const identity = stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined
    if (identity === undefined || seen.has(identity)) return false
    seen.add(identity)
    return true
  })
}

export const npmPackages: Table = {
  name: 'npm_packages',
  columns: columns('name version description author license homepage path directory'),
  pushed: { directory: 'equal' },
  *collect(constraints, query) {
    const usual = () => ['/usr/lib', '/usr/local/lib', '/usr/share']
    for (const directory of wantedFolders(constraints, usual)) {
      const modules = `${directory}/node_modules`
      for (const name of listDirectory(modules)) {
        const names = name.startsWith('@')
          ? listDirectory(`${modules}/${name}`).map((each) => `${name}/${each}`)
          : [name]
        for (const each of names) {
          query.remainingMs()
          const row = npmRow(`${modules}/${each}`)
          if (row) yield { ...row, directory }
        }
      }
    }
  },
}

function npmRow(path: string): Row | undefined {
  const text = readText(`${path}/package.json`)
  if (text === undefined) return undefined
  const manifest = parseManifest(text)
  const field = (name: string) => (typeof manifest[name] === 'string' ? manifest[name] : '')
  const author = manifest['author']
  const authorName = typeof author === 'object' && author !== null ? (author as { name?: unknown }).name : author
  return {
    // A broken manifest still is an installed package.
    name: field('name') || path.slice(path.lastIndexOf('/node_modules/') + '/node_modules/'.length),
    version: field('version'),
    description: field('description'),
    author: typeof authorName === 'string' ? authorName : '',
    license: field('license'),
    homepage: field('homepage'),
    path,
  }
}

function parseManifest(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
