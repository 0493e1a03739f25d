import { type Filter, parse } from 'scim2-parse-filter'
import { isStorable } from '../../base/storable.ts'
import { refuse } from './scim-error.ts'

export type { Filter }

const maxFilterLength = 4_096
const maxComparisons = 50
const comparisons = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'lt', 'ge', 'le'])

/** RFC 7644 §3.4.2.2. Fails with invalidFilter for what is no filter, and for one too large to be worth serving. */
export function parseFilter(text: string): Filter {
  if (text.length > maxFilterLength) refuse(400, 'invalidFilter', `A filter has at most ${maxFilterLength} characters.`)
  const strings: string[] = []
  // The parser takes time exponential in the line breaks of an unclosed string, and reads no escapes but that of the
  // quotation mark: so it sees numbers in the place of strings.
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, (quoted) => `"${strings.push(readString(quoted)) - 1}"`)
  if (bare.replace(/"\d+"/g, '').includes('"')) refuse(400, 'invalidFilter', 'The filter has an unclosed string.')
  const budget = { left: maxComparisons }
  return withStrings(parseBare(bare), strings, budget)
}

function readString(quoted: string): string {
  try {
    const text: unknown = JSON.parse(quoted)
    if (typeof text === 'string' && isStorable(text)) return text
  } catch {
    // Refused below.
  }
  return refuse(400, 'invalidFilter', 'The filter has a string that is not JSON.')
}

function parseBare(text: string): Filter {
  try {
    return parse(text)
  } catch {
    return refuse(400, 'invalidFilter', 'The filter cannot be read.')
  }
}

/** The parser takes any word for an operator in some places, so each is looked at again. */
function withStrings(filter: Filter, strings: readonly string[], budget: { left: number }): Filter {
  const again = (inner: Filter) => withStrings(inner, strings, budget)
  if ((filter.op === 'and' || filter.op === 'or') && 'filters' in filter) {
    return { op: filter.op, filters: filter.filters.map(again) }
  }
  if (filter.op === 'not' && 'filter' in filter) return { op: 'not', filter: again(filter.filter) }
  if (filter.op === '[]' && 'valFilter' in filter) {
    return { op: '[]', attrPath: filter.attrPath, valFilter: again(filter.valFilter) }
  }
  budget.left -= 1
  if (budget.left < 0) refuse(400, 'invalidFilter', `A filter has at most ${maxComparisons} comparisons.`)
  if (filter.op === 'pr' && 'attrPath' in filter) return { op: 'pr', attrPath: filter.attrPath }
  if (!comparisons.has(filter.op) || !('compValue' in filter)) {
    return refuse(400, 'invalidFilter', 'The filter has an unknown operator.')
  }
  const { op, attrPath, compValue } = filter
  return { op, attrPath, compValue: typeof compValue === 'string' ? (strings[Number(compValue)] ?? '') : compValue }
}
