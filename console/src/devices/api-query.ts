import type { DeviceFilters } from './device-filters.ts'

const doubtFields = { suspended: 'registration_suspended_at', conflict: 'identity_conflict_since' } as const

/**
 * The search of the API that finds the same devices; undefined where it has no words for the filter: states, companions, groups and
 * names of owners are no fields of it.
 */
export function apiQueryOf(filters: DeviceFilters): string | undefined {
  const { view, state, platform, owner, mode, identity, companion, group, q, as_of } = filters
  if (view ?? state ?? mode ?? companion ?? group ?? q ?? as_of) return undefined
  const wanted = platform === undefined ? [] : platform.split(',')
  const isOwned = owner && (owner === 'none' ? 'registered_at:null' : 'registered_at>"1970-01-01"')
  const isDoubted = identity && `${doubtFields[identity]}>"1970-01-01"`
  const always = [isOwned, isDoubted].filter(Boolean).join(' AND ')
  // There are no parentheses, and AND binds tighter.
  const clauses = wanted.map((name) => [`device_type:"${name}"`, always].filter(Boolean).join(' AND '))
  return clauses.length > 0 ? clauses.join(' OR ') : always || undefined
}
