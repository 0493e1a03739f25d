import type { SearchClause, SearchExpression } from '../../src/base/lists/search-expression.ts'

/** A record as the wire has it: identifiers and times are text. */
export type SearchableRecord = Readonly<Record<string, string | boolean | null | readonly string[]>>

/** What the search language means, told without SQL: the records the database returns must be those this accepts. */
export function matchesSearch(expression: SearchExpression, record: SearchableRecord, fold = foldUnicode): boolean {
  return expression.some((clauses) => clauses.every((clause) => matchesClause(clause, record, fold)))
}

/** PostgreSQL's lower() where LC_CTYPE is a UTF-8 locale: each code point by itself, so Σ is σ even at a word's end. */
export function foldUnicode(text: string): string {
  // İ is the one code point that JavaScript lower-cases to two; the simple mapping has only the first.
  return Array.from(text, (character) => Array.from(character.toLowerCase())[0] ?? '').join('')
}

/** PostgreSQL's lower() where LC_CTYPE is C. */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function matchesClause(clause: SearchClause, record: SearchableRecord, fold: (text: string) => string): boolean {
  const { operator, value, ignoreCase } = clause
  const actual = record[clause.field]
  if (actual === undefined) throw new Error(`The record has no field ${clause.field}`)
  if (actual === null || value === null) return actual === value
  if (typeof actual === 'boolean' || typeof value === 'boolean') return actual === value
  const texts = typeof actual === 'string' ? [actual] : actual
  const wanted = typeof value === 'string' ? [value] : value
  return texts.some((text) =>
    wanted.some((one) => {
      if (operator === '<') return text < one
      if (operator === '<=') return text <= one
      if (operator === '>') return text > one
      if (operator === '>=') return text >= one
      if (operator === '~') return fold(text).includes(fold(one))
      return ignoreCase ? fold(text) === fold(one) : text === one
    }),
  )
}
