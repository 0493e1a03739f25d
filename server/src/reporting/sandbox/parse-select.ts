import { hasSqlDetails, loadModule, parseSync } from 'libpg-query'
import { isStorable } from '../../base/storable.ts'
import { refuse } from './query-refused.ts'

export type Node = Readonly<Record<string, unknown>>

export const maxSqlBytes = 10_000

export type ParsedSelect = {
  readonly select: Node
  /** The statement alone, without the semicolon that may end it and what follows that. */
  readonly statement: string
}

/** The text's syntax tree by PostgreSQL's own parser. Throws QueryRefused unless it is one SELECT. */
export async function parseSelect(text: string): Promise<ParsedSelect> {
  if (Buffer.byteLength(text) > maxSqlBytes) refuse(`The SQL is too long: it may have ${maxSqlBytes} bytes.`)
  if (!isStorable(text)) refuse('The SQL contains characters that are not allowed.')
  if (text.trim() === '') refuse('The SQL is empty.')
  await loadModule()
  const { stmts = [] } = parse(text)
  const [only] = stmts
  if (!only?.stmt) refuse('The SQL is empty.')
  if (stmts.length > 1) refuse('A reporting query must be a single statement.')
  if (!('SelectStmt' in only.stmt)) refuse('A reporting query must be a SELECT.')
  return { select: only.stmt.SelectStmt as Node, statement: statementOf(text, only) }
}

/** The parser tells places in bytes, and leaves out a length that reaches to the end. */
function statementOf(text: string, { stmt_location: start = 0, stmt_len: length }: Located): string {
  const bytes = Buffer.from(text).subarray(start)
  return (length ? bytes.subarray(0, length) : bytes).toString()
}

type Located = { readonly stmt_location?: number; readonly stmt_len?: number }

function parse(text: string) {
  try {
    return parseSync(text)
  } catch (error) {
    if (error instanceof RangeError) refuse('The SQL is nested too deeply.')
    if (error instanceof Error && (hasSqlDetails(error) || error.message === 'Query cannot be empty')) {
      refuse(error.message === 'Query cannot be empty' ? 'The SQL is empty.' : `The SQL has a ${error.message}.`)
    }
    throw error
  }
}
