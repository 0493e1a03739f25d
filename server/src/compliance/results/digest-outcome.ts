import { hash } from 'node:crypto'
import type { CheckOutcome, CheckRow } from '../standing/rules.ts'

/**
 * Equal for outcomes that say the same: the order of rows and of columns carries no meaning, as SQL promises none.
 * 16 bytes, in the form that the database reads: a buffer would cost more than the digest.
 */
export function digestOutcome(outcome: CheckOutcome): string {
  const lines = outcome.kind === 'rows' ? outcome.rows.map(inOrder).sort() : [outcome.message]
  return `\\x${hash('sha256', `${outcome.kind}\n${lines.join('\n')}`).slice(0, 32)}`
}

const inOrder = (row: CheckRow): string =>
  JSON.stringify(
    Object.keys(row)
      .sort()
      .map((column) => [column, row[column]]),
  )
