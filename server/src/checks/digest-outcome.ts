import { hash } from 'node:crypto'
import type { CheckOutcome } from './rules.ts'

/**
 * Equal for outcomes that say the same: the order of rows and of columns carries no meaning, as SQL promises none.
 * 16 bytes.
 */
export function digestOutcome(outcome: CheckOutcome): Buffer {
  const lines =
    outcome.kind === 'rows'
      ? outcome.rows
          .map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))
          .sort()
      : [outcome.message]
  return Buffer.from(hash('sha256', `${outcome.kind}\n${lines.join('\n')}`).slice(0, 32), 'hex')
}
