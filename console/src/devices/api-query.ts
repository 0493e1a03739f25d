import type { DeviceFilters } from './device-filters.ts'

/**
 * The search of the API that finds the same devices; undefined where it has no words for the filter: states, groups and
 * names of owners are no fields of it.
 */
export function apiQueryOf({ view, state, platform, owner, mode, group, q, as_of }: DeviceFilters): string | undefined {
  if (view ?? state ?? mode ?? group ?? q ?? as_of) return undefined
  const wanted = platform === undefined ? [] : platform.split(',')
  const isOwned = owner && (owner === 'none' ? 'registered_at:null' : 'registered_at>"1970-01-01"')
  // There are no parentheses, and AND binds tighter.
  const clauses = wanted.map((name) => [`device_type:"${name}"`, isOwned].filter(Boolean).join(' AND '))
  return clauses.length > 0 ? clauses.join(' OR ') : isOwned
}
