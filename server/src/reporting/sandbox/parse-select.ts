import { hasSqlDetails, loadModule, parseSync } from 'libpg-query'
import { refuse } from './query-refused.ts'

export type Node = Readonly<Record<string, unknown>>

export const longestSqlBytes = 10_000

/** The text's syntax tree by PostgreSQL's own parser. Throws QueryRefused unless it is one SELECT. */
export async function parseSelect(text: string): Promise<Node> {
  if (Buffer.byteLength(text) > longestSqlBytes) refuse(`The SQL is too long: it may have ${longestSqlBytes} bytes.`)
  if (text.includes('\0') || !text.isWellFormed()) refuse('The SQL has characters that no text may have.')
  if (text.trim() === '') refuse('The SQL is empty.')
  await loadModule()
  const { stmts = [] } = parse(text)
  const [only] = stmts
  if (!only?.stmt) refuse('The SQL is empty.')
  if (stmts.length > 1) refuse('A reporting query is a single statement.')
  if (!('SelectStmt' in only.stmt)) refuse('A reporting query is a SELECT, and nothing else.')
  return only.stmt.SelectStmt as Node
}

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
