import { createHash } from 'node:crypto'
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
  return createHash('sha256').update(outcome.kind).update('\n').update(lines.join('\n')).digest().subarray(0, 16)
}
