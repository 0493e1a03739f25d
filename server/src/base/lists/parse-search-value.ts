import type { SearchField, SearchOperator } from '@muster/contract/search.ts'
import type { LexedClause, LexedList, LexedValue } from './lex-search.ts'
import { dateTimeForms, parseDateTime } from './parse-date-time.ts'
import { quoteForMessage, SearchError } from './search-error.ts'
import type { SearchValue } from './search-expression.ts'

/** The value of one clause as its field's kind has it; throws SearchError when the field cannot have such a value. */
export function parseSearchValue(clause: LexedClause, field: SearchField): SearchValue {
  const { value } = clause
  if ('members' in value) return listOf(clause, value, field)
  if (value.text === 'null' && !value.isQuoted && clause.operator === ':') {
    if (field.nullable) return null
    if (field.kind !== 'string' && field.kind !== 'string_list') {
      throw new SearchError(`${clause.field} is never null`, value.position, clause.field)
    }
  }
  if (value.text === '' && clause.operator === '~') {
    throw new SearchError('Expected at least one character after ~', value.position, clause.field)
  }
  if (field.kind === 'boolean') return booleanOf(clause.field, value)
  return textOf(clause.field, clause.operator, value, field)
}

function listOf(clause: LexedClause, list: LexedList, field: SearchField): string[] {
  if (clause.operator !== ':' || !field.multiple) {
    const place = clause.operator === ':' ? clause.field : `the operator ${clause.operator}`
    const message = `A list is not accepted with ${place}; text that starts with [ must be in double quotes`
    throw new SearchError(message, list.position, clause.field)
  }
  const values = list.members.map((member) => {
    if (member.text === 'null' && !member.isQuoted) {
      throw new SearchError('A list cannot contain null', member.position, clause.field)
    }
    return textOf(clause.field, clause.operator, member, field)
  })
  return [...new Set(values)]
}

function textOf(name: string, operator: SearchOperator, value: LexedValue, field: SearchField): string {
  if (field.kind === 'datetime') return dateTimeOf(name, value)
  // A substring of an enum is any text; only an exact value must be one of those listed.
  if (field.kind === 'enum' && operator === ':') return enumValueOf(name, value, field.values)
  return value.text
}

function booleanOf(name: string, value: LexedValue): boolean {
  if (value.text === 'true') return true
  if (value.text === 'false') return false
  throw new SearchError(`${name} is true or false, not ${quoteForMessage(value.text)}`, value.position, name)
}

function dateTimeOf(name: string, value: LexedValue): string {
  const parsed = parseDateTime(value.text)
  if (parsed !== undefined) return parsed
  const message =
    `${quoteForMessage(value.text)} is not ${dateTimeForms}` +
    (/t.*\d \d\d(?::?\d\d)?$/i.test(value.text) ? '; in a URL the + of a time zone is written %2B' : '')
  throw new SearchError(message, value.position, name)
}

function enumValueOf(name: string, value: LexedValue, allowed: readonly string[]): string {
  const wanted = value.text.toLowerCase()
  const found = allowed.find((candidate) => candidate.toLowerCase() === wanted)
  if (found !== undefined) return found
  const list = allowed.map((candidate) => `"${candidate}"`).join(', ')
  throw new SearchError(`${name} is one of ${list}, not ${quoteForMessage(value.text)}`, value.position, name)
}
