import { refuse } from './scim-error.ts'
import { readSelection, type Selection } from './selection.ts'

export type ListQuery = {
  readonly filter: string | undefined
  /** From 1. */
  readonly startIndex: number
  readonly count: number
  readonly selection: Selection
}

/** Also what /ServiceProviderConfig says. */
export const maxResultsPerPage = 200
const usualResults = 100
const largestIndex = 2 ** 31 - 1

/**
 * RFC 7644 §3.4.2: a start before 1 is 1, a negative count is 0, and fewer results than asked for may come. The order
 * is ours (`sortBy` and `sortOrder` are ignored, as §3.4.2.3 allows).
 */
export function readListQuery(input: Record<string, unknown>): ListQuery {
  const filter = input['filter']
  if (filter !== undefined && typeof filter !== 'string') refuse(400, 'invalidFilter', 'There can be one filter.')
  return {
    filter: filter === '' ? undefined : filter,
    startIndex: Math.min(largestIndex, Math.max(1, integerOf(input, 'startIndex', 1))),
    count: Math.min(maxResultsPerPage, Math.max(0, integerOf(input, 'count', usualResults))),
    selection: readSelection(input),
  }
}

function integerOf(input: Record<string, unknown>, name: string, otherwise: number): number {
  const value = input[name]
  if (value === undefined || value === '') return otherwise
  if (!/^-?\d{1,15}$/.test(String(value))) refuse(400, 'invalidValue', `${name} must be an integer.`)
  return Number(value)
}

const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** RFC 7644 §3.4.2. */
export const presentList = (resources: readonly unknown[], totalResults: number, startIndex: number) => ({
  schemas: [listUrn],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
