import { NotCollected } from '../tables/not-collected.ts'
import type { Query } from '../tables/table.ts'
import { listDirectory, lstatOf } from './read-files.ts'

const maxPaths = 250_000

/**
 * The existing paths that a LIKE pattern of osquery means: `%` matches within one name, `%%` as a whole
 * name (or at its end) any number of levels. Symbolic links are not followed when descending.
 * Throws NotCollected when a directory on the way may not be read.
 */
export function* expandPattern(pattern: string, query: Query): Iterable<string> {
  if (!pattern.startsWith('/')) return
  let found = 0
  for (const path of expand('', pattern.slice(1).split('/'), query)) {
    found += 1
    if (found > maxPaths) throw new NotCollected(`${pattern} matches more than ${maxPaths} paths`)
    yield path
  }
}

function* expand(base: string, names: string[], query: Query): Iterable<string> {
  query.remainingMs()
  const [name = '', ...rest] = names
  const isLast = rest.length === 0
  if (!name.includes('%')) {
    const path = `${base}/${name}`
    if (!isLast) yield* expand(path, rest, query)
    else if (lstatOf(path === '/' ? '/' : path)) yield path
    return
  }
  const deep = name.includes('%%')
  const matches = nameMatcher(name)
  for (const entry of listDirectory(base === '' ? '/' : base)) {
    const path = `${base}/${entry}`
    if (matches(entry)) {
      if (isLast) yield path
      else yield* expand(path, rest, query)
    }
    if (deep && lstatOf(path)?.isDirectory()) yield* expand(path, ['%%', ...rest], query)
  }
}

/** Wider than the pattern where LIKE itself is wide (case, `_`); SQLite checks each path again. */
function nameMatcher(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/%+/g, '.*')
    .replaceAll('_', '.')
  const expression = new RegExp(`^${source}$`, 'is')
  return (name) => expression.test(name)
}
