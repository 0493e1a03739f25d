import { closest, distance } from 'fastest-levenshtein'

/** What was probably meant: the candidate within a third of the name's length in edits (insert, delete, replace), or undefined. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined
  const nearest = closest(name, candidates)
  return distance(name, nearest) <= Math.max(2, Math.floor(name.length / 3)) ? nearest : undefined
}
