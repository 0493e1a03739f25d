import { foldText } from '../../base/fold-text.ts'
import { type Attribute, findAttribute, type Values } from './attribute.ts'
import type { Filter } from './parse-filter.ts'
import { refuse } from './scim-error.ts'

/** Whether an element of a multi-valued attribute is meant by the filter of a path (RFC 7644 §3.5.2). */
export function matchesFilter(attributes: readonly Attribute[], element: Values, filter: Filter): boolean {
  if ('filters' in filter) {
    const matches = (inner: Filter) => matchesFilter(attributes, element, inner)
    return filter.op === 'and' ? filter.filters.every(matches) : filter.filters.some(matches)
  }
  if ('filter' in filter) return !matchesFilter(attributes, element, filter.filter)
  const attribute = findAttribute(attributes, filter.attrPath)
  if (!attribute) return refuse(400, 'invalidFilter', 'The filter of the path names no attribute.')
  const value = element[attribute.name]
  if (filter.op === 'pr') return value !== undefined
  const compare = comparisons[filter.op]
  if (!compare || !('compValue' in filter)) {
    return refuse(400, 'invalidFilter', 'The filter of a path compares with eq, ne, co, sw, ew and pr.')
  }
  return compare(comparable(attribute, value), comparable(attribute, filter.compValue) ?? '')
}

const comparisons: Partial<Record<Filter['op'], (mine: string | undefined, theirs: string) => boolean>> = {
  eq: (mine, theirs) => mine === theirs,
  ne: (mine, theirs) => mine !== theirs,
  co: (mine, theirs) => mine?.includes(theirs) ?? false,
  sw: (mine, theirs) => mine?.startsWith(theirs) ?? false,
  ew: (mine, theirs) => mine?.endsWith(theirs) ?? false,
}

/** As text: Entra compares booleans with "True". */
function comparable({ caseExact }: Attribute, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return caseExact ? String(value) : foldText(String(value))
}
