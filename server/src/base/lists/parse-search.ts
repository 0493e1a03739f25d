import type { SearchField, SearchFields } from '@muster/contract/search.ts'
import { type LexedClause, lexSearch } from './lex-search.ts'
import { parseSearchValue } from './parse-search-value.ts'
import { quoteForMessage, SearchError } from './search-error.ts'
import type { SearchClause, SearchExpression, SearchValue } from './search-expression.ts'

/**
 * Reads a search such as `name~"mac book" AND registered_at>2026-01-31 OR id:[1,2]` against the fields a list allows.
 * AND binds tighter than OR. A blank text is no search: undefined. Throws SearchError, in time linear in the text.
 */
export function parseSearch(text: string, fields: SearchFields): SearchExpression | undefined {
  if (text.trim() === '') return undefined
  const { clauses, connectors } = lexSearch(text)
  const groups: SearchClause[][] = []
  for (const [index, lexed] of clauses.entries()) {
    const clause = parseClause(lexed, fields)
    const group = connectors[index - 1] === 'AND' ? groups.at(-1) : undefined
    if (group) group.push(clause)
    else groups.push([clause])
  }
  return groups
}

const maxRemembered = 200

/**
 * `parseSearch` of a list, which gives the same text the same expression: clients ask one thing again and again, and what
 * is made from an expression is kept with it.
 */
export function searchParser(fields: SearchFields): (text: string) => SearchExpression | undefined {
  const known = new Map<string, SearchExpression>()
  return (text) => {
    const found = known.get(text)
    if (found) return found
    const parsed = parseSearch(text, fields)
    if (known.size >= maxRemembered) known.clear()
    if (parsed) known.set(text, parsed)
    return parsed
  }
}

function parseClause(lexed: LexedClause, fields: SearchFields): SearchClause {
  const field = fieldOf(lexed, fields)
  const { field: name, operator } = lexed
  if (!field.operators.includes(operator)) {
    const message = `${name} cannot be searched with ${operator}; it allows ${field.operators.join(' ')}`
    throw new SearchError(message, lexed.operatorPosition, name)
  }
  const value = parseSearchValue(lexed, field)
  // The values that contain the text are known without asking the database, so its indexes serve them.
  if (field.kind === 'enum' && operator === '~') return { field: name, operator: ':', value: valuesWith(value, field) }
  return field.ignoreCase ? { field: name, operator, value, ignoreCase: true } : { field: name, operator, value }
}

function valuesWith(text: SearchValue, { values }: { values: readonly string[] }): string[] {
  const part = String(text).toLowerCase()
  return values.filter((value) => value.toLowerCase().includes(part))
}

function fieldOf(lexed: LexedClause, fields: SearchFields): SearchField {
  const field = Object.hasOwn(fields, lexed.field) ? fields[lexed.field] : undefined
  if (field) return field
  const names = Object.keys(fields)
  const list = names.length > 0 ? `searchable here: ${names.join(', ')}` : 'nothing is searchable here'
  throw new SearchError(`Unknown search field ${quoteForMessage(lexed.field)}; ${list}`, lexed.position, lexed.field)
}
