import { tokensOf } from './sql-tokens.ts'

export type SqlTable = { readonly name: string; readonly column_names: readonly string[] }

export type Suggestion = {
  readonly name: string
  /** "table", or the table that has the column. */
  readonly of: string
}

export type Completion = {
  /** Where the word begins that is written at the caret. */
  readonly from: number
  readonly suggestions: readonly Suggestion[]
}

const maxSuggested = 8
const none: Completion = { from: 0, suggestions: [] }

/** What can stand where the caret is, by the letters before it; with `isAsked` from none on, else from two. */
export function completionAt(
  sql: string,
  caret: number,
  tables: readonly SqlTable[],
  { isAsked = false } = {},
): Completion {
  const [written = '', owner, word = ''] = /(?:([a-z_]\w*)\.)?([a-z_]\w*)?$/i.exec(sql.slice(0, caret)) ?? []
  const isEarly = !isAsked && owner === undefined && word.length < 2
  if (isEarly || /^\w/.test(sql.slice(caret)) || isWithinText(sql, caret)) return none
  const before = sql.slice(0, caret - written.length)
  const possible = owner === undefined ? namesAfter(before, sql, tables) : columnsOf(owner, sql, tables)
  const suggestions = fitting(possible, word.toLowerCase())
  const isWritten = suggestions[0]?.name.toLowerCase() === word.toLowerCase()
  return isWritten ? none : { from: caret - word.length, suggestions }
}

/** Those that begin with the word, then those that hold it. */
function fitting(possible: readonly Suggestion[], word: string): readonly Suggestion[] {
  const lower = possible.map((suggestion) => ({ suggestion, name: suggestion.name.toLowerCase() }))
  const beginning = lower.filter(({ name }) => name.startsWith(word))
  const holding = lower.filter(({ name }) => !name.startsWith(word) && name.includes(word))
  return [...beginning, ...holding].slice(0, maxSuggested).map(({ suggestion }) => suggestion)
}

const asTable = ({ name }: SqlTable): Suggestion => ({ name, of: 'table' })
const columnsIn = ({ name: of, column_names: names }: SqlTable): Suggestion[] => names.map((name) => ({ name, of }))

function namesAfter(before: string, sql: string, tables: readonly SqlTable[]): readonly Suggestion[] {
  const named = tables.map(asTable)
  if (/\b(?:from|join|into|update)\s+(?:[\w\s.]+,\s*)?$/i.test(before.slice(-500))) return named
  const words = new Set(sql.toLowerCase().match(/\w+/g))
  const columns = tables.filter(({ name }) => words.has(name)).flatMap(columnsIn)
  const known = new Set<string>()
  const once = columns.filter(({ name }) => !known.has(name) && known.add(name))
  return [...once, ...named]
}

/** Columns of a table that stands before the dot, by its name or by what it is called in the SQL. */
function columnsOf(owner: string, sql: string, tables: readonly SqlTable[]): readonly Suggestion[] {
  const lower = owner.toLowerCase()
  const called = new RegExp(`\\b(\\w+)\\s+(?:as\\s+)?${owner}\\b`, 'gi')
  const names = [lower, ...[...sql.matchAll(called)].map(([, name = '']) => name.toLowerCase())]
  const table = tables.find(({ name }) => names.includes(name.toLowerCase()))
  return table ? columnsIn(table) : []
}

/** In a text, a comment or a place of Liquid nothing is completed. */
function isWithinText(sql: string, caret: number): boolean {
  let end = 0
  for (const { kind, text } of tokensOf(sql)) {
    const begin = end
    end += text.length
    if (end < caret) continue
    return begin < caret && (kind === 'text' || kind === 'comment' || kind === 'liquid' || kind === 'number')
  }
  return false
}
