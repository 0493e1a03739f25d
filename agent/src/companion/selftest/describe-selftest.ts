import type { Row } from './row.ts'

const words = { ok: 'ok', look: 'LOOK', unknown: '-' } as const
const maxLength = 160

/** The rows as a table in Markdown, which a person reads in the terminal and pastes into an issue. */
export function describeSelftest(rows: readonly Row[], now: string): string[] {
  const cells = rows.map(({ what, found, verdict }) => [clean(what), clean(found), words[verdict]])
  const table = [['muster-companion selftest', now.replace('T', ' ').replace(/:\d+(\.\d+)?Z$/, ' UTC'), ''], ...cells]
  const widths = [0, 1, 2].map((column) => Math.max(4, ...table.map((row) => [...(row[column] ?? '')].length)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join(' | ')} |`
  const [head = [], ...others] = table
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)]
}

/** Names come from programs and files of everybody: nothing of them moves the cursor, or ends a cell. */
const clean = (text: string): string =>
  [...text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?').replaceAll('|', '/')].slice(0, maxLength).join('')
