import type { SearchOperator } from '@muster/contract/search.ts'
import { quoteForMessage, SearchError } from './search-error.ts'

const maxBytes = 2048
const maxClauses = 50
const maxMembers = 100

export type LexedValue = { text: string; isQuoted: boolean; position: number }
export type LexedList = { members: LexedValue[]; position: number }
export type LexedClause = {
  field: string
  position: number
  operator: SearchOperator
  operatorPosition: number
  value: LexedValue | LexedList
}
export type Connector = 'AND' | 'OR'

/** `connectors[i]` stands between `clauses[i]` and `clauses[i + 1]`. */
export type LexedSearch = { clauses: LexedClause[]; connectors: Connector[] }

type Read<T> = { value: T; end: number }

/**
 * Cuts a search text that is not blank into clauses, in one pass; knows no field and no kind of value.
 * Spaces separate; inside double quotes everything is text. Throws SearchError.
 */
export function lexSearch(text: string): LexedSearch {
  refuseUnsafeText(text)
  const clauses: LexedClause[] = []
  const connectors: Connector[] = []
  let at = skipSpaces(text, 0)
  for (;;) {
    if (clauses.length === maxClauses) throw new SearchError(`A search has at most ${maxClauses} clauses`, at)
    const clause = lexClause(text, at, connectors.at(-1))
    clauses.push(clause.value)
    at = skipSpaces(text, clause.end)
    if (at === text.length) return { clauses, connectors }
    const connector = lexConnector(text, at)
    connectors.push(connector)
    at = skipSpaces(text, at + connector.length)
  }
}

function refuseUnsafeText(text: string) {
  const bytes = Buffer.byteLength(text)
  if (bytes > maxBytes) throw new SearchError(`A search has at most ${maxBytes} bytes; this one has ${bytes}`, 0)
  // With the u flag \p{Cs} is a surrogate without its partner: it would reach the database as U+FFFD.
  const unsafe = /[\p{Cc}\p{Cs}]/u.exec(text)
  if (unsafe) throw new SearchError('A search must not contain control characters or broken Unicode', unsafe.index)
}

function lexClause(text: string, start: number, after: Connector | undefined): Read<LexedClause> {
  if (text[start] === '(' || text[start] === ')') throw noParentheses(start)
  const operatorPosition = endOfField(text, start)
  const field = text.slice(start, operatorPosition)
  const operator = operatorAt(text, operatorPosition)
  if (operator === undefined || field === '') throw noClause(text, start, field, after)
  const value = lexValue(text, operatorPosition + operator.length, field, operator)
  return { value: { field, position: start, operator, operatorPosition, value: value.value }, end: value.end }
}

function noClause(text: string, start: number, word: string, after: Connector | undefined): SearchError {
  const place = after === undefined ? '' : ` after ${after}`
  const character = text[start]
  if (character === undefined) return new SearchError(`Expected another clause${place}`, start)
  if (word === '') return new SearchError(`Expected the name of a field before ${character}`, start)
  if (word === 'AND' || word === 'OR') return new SearchError(`Expected a clause${place}, found ${word}`, start)
  const found = quoteForMessage(word)
  return new SearchError(
    `Expected one of : ~ < <= > >= directly after ${found}; a value that contains spaces must be in double quotes`,
    start + word.length,
  )
}

function lexConnector(text: string, start: number): Connector {
  const word = text.slice(start, endOfWord(text, start))
  if (word === 'AND' || word === 'OR') return word
  if (word.startsWith('(') || word.startsWith(')')) throw noParentheses(start)
  const hint = /^(?:and|or)$/i.test(word)
    ? 'write it in upper case'
    : 'a value that contains spaces must be in double quotes'
  throw new SearchError(`Expected AND or OR between clauses, found ${quoteForMessage(word)}; ${hint}`, start)
}

function noParentheses(position: number) {
  return new SearchError('Parentheses are not supported; AND binds tighter than OR', position)
}

function lexValue(text: string, start: number, field: string, operator: SearchOperator): Read<LexedValue | LexedList> {
  const first = text[start]
  if (first === undefined || first === ' ') {
    throw new SearchError(`Expected a value directly after ${operator}`, start, field)
  }
  if (first === '[') return lexList(text, start, field)
  if (first === '"') {
    const quoted = lexQuoted(text, start, field)
    refuseTextAfter(text, quoted.end, 'the closing quote', field)
    return quoted
  }
  const end = endOfWord(text, start)
  return { value: { text: text.slice(start, end), isQuoted: false, position: start }, end }
}

function lexQuoted(text: string, start: number, field: string): Read<LexedValue> {
  let value = ''
  let from = start + 1
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      return { value: { text: value + text.slice(from, at), isQuoted: true, position: start }, end: at + 1 }
    }
    if (character !== '\\') continue
    // A backslash before anything else is itself, as in "C:\Users".
    if (text[at + 1] !== '"' && text[at + 1] !== '\\') continue
    value += text.slice(from, at)
    from = at + 1
    at += 1
  }
  throw new SearchError('The double quote opened here is never closed', start, field)
}

function lexList(text: string, start: number, field: string): Read<LexedList> {
  const members: LexedValue[] = []
  let at = start
  do {
    if (members.length === maxMembers) throw new SearchError(`A list has at most ${maxMembers} members`, at, field)
    const member = lexMember(text, skipSpaces(text, at + 1), field)
    members.push(member.value)
    at = skipSpaces(text, member.end)
  } while (text[at] === ',')
  if (at === text.length) throw new SearchError('The list opened here is never closed with ]', start, field)
  if (text[at] !== ']') throw new SearchError('Expected a comma or ] after a member of the list', at, field)
  refuseTextAfter(text, at + 1, 'the list', field)
  return { value: { members, position: start }, end: at + 1 }
}

function lexMember(text: string, start: number, field: string): Read<LexedValue> {
  if (text[start] === '"') return lexQuoted(text, start, field)
  let end = start
  while (end < text.length && !' ,]"'.includes(text.charAt(end))) end += 1
  if (end === start) throw new SearchError('Expected a member of the list, as in ["a","b"] or [1,2]', start, field)
  return { value: { text: text.slice(start, end), isQuoted: false, position: start }, end }
}

function refuseTextAfter(text: string, position: number, what: string, field: string) {
  const next = text[position]
  if (next === undefined || next === ' ') return
  throw new SearchError(`Expected a space or the end after ${what}`, position, field)
}

function skipSpaces(text: string, start: number): number {
  let at = start
  while (text[at] === ' ') at += 1
  return at
}

function endOfWord(text: string, start: number): number {
  const space = text.indexOf(' ', start)
  return space === -1 ? text.length : space
}

function endOfField(text: string, start: number): number {
  let at = start
  while (at < text.length && text[at] !== ' ' && operatorAt(text, at) === undefined) at += 1
  return at
}

function operatorAt(text: string, at: number): SearchOperator | undefined {
  const character = text[at]
  if (character === ':' || character === '~') return character
  if (character !== '<' && character !== '>') return undefined
  return text[at + 1] === '=' ? `${character}=` : character
}
