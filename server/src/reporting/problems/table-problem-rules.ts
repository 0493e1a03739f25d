import type { TableProblemType } from '@muster/contract/reporting-tables.ts'
import { storable } from '../../base/storable.ts'

/** In UTF-16 units. */
export const maxMessageLength = 500
/** Of a status line, beyond which nothing is read. */
const maxRead = 4_000

const ended = 'The agent ended while it ran this query, and does not run it for a day.'
const skipped = 'The agent does not run this query for a day, since it ended while it ran it.'
const unexplained = 'The agent gave no reason.'

const refusals = [
  ...['denylisted', 'Scheduled query may have failed: ', 'The caller does not want denied queries', ended, skipped],
]
/** How the bundled agent begins its answer for a table that it does not fill. */
export const notCollected = 'not collected: '
const lacks = ['no such table', 'no such column', notCollected]

/** What an answer without rows says: its type, and a message of 1 to 500 UTF-16 units that the database can hold. */
export function judgeProblem(message: string): { type: TableProblemType; message: string } {
  const text = message.slice(0, maxRead).trim()
  return { type: typeOf(text), message: storable(text, maxMessageLength) || unexplained }
}

function typeOf(text: string): TableProblemType {
  if (refusals.some((part) => text.includes(part))) return 'denied'
  return lacks.some((part) => text.includes(part)) ? 'missing' : 'failed'
}

/** osquery 5's sentences about scheduled queries. Names of queries have no spaces. */
const sentences: readonly { form: RegExp; reason?: string }[] = [
  { form: /^Error executing scheduled query (\S{1,200}?):(?:\s(.*))?$/s },
  { form: /^Scheduled query may have failed: (\S{1,200})$/, reason: ended },
  {
    form: /^The caller does not want denied queries, skipping denied scheduled query: (\S{1,200})$/,
    reason: skipped,
  },
]

/**
 * The query that a status line of osquery speaks of and why it brought nothing; undefined for any other line, whatever
 * its shape. The message is what `judgeProblem` takes.
 */
export function readStatusLine(line: unknown): { name: string; message: string } | undefined {
  const message = typeof line === 'object' && line !== null && 'message' in line ? line.message : undefined
  if (typeof message !== 'string') return undefined
  const text = message.slice(0, maxRead).trim()
  for (const { form, reason } of sentences) {
    const [, name, said = ''] = form.exec(text) ?? []
    if (name !== undefined) return { name, message: reason ?? said }
  }
  return undefined
}
