import type { SearchClause, SearchExpression } from '../../src/base/lists/search-expression.ts'

/** A record as the wire has it: identifiers and times are text. */
export type SearchableRecord = Readonly<Record<string, string | boolean | null | readonly string[]>>

/** What the search language means, told without SQL: the records the database returns must be those this accepts. */
export function matchesSearch(expression: SearchExpression, record: SearchableRecord): boolean {
  return expression.some((clauses) => clauses.every((clause) => matchesClause(clause, record)))
}

/** As `foldText`, told otherwise: by character, where width has no other forms than those of the printable ASCII. */
function fold(text: string): string {
  const narrow = text.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
  const lower = Array.from(narrow, (character) => (character === 'ς' ? 'σ' : character.toLowerCase()))
  return lower.join('').normalize('NFC')
}

function matchesClause(clause: SearchClause, record: SearchableRecord): boolean {
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
      if (ignoreCase) return fold(text) === fold(one)
      // Lists hold identifiers, which have one form.
      return typeof actual === 'string' ? text.normalize('NFC') === one.normalize('NFC') : text === one
    }),
  )
}
