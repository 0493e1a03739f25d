import { stripVTControlCharacters } from 'node:util'

const closing = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms']
const line = new RegExp(`^ℹ (${closing.join('|')}) \\d`)

/** The closing lines of node's spec reporter (`ℹ tests 12` … `ℹ duration_ms 90`) of the last run in this output. */
export function summaryLines(output: string): string[] {
  const found = output.split('\n').filter((text) => line.test(stripVTControlCharacters(text)))
  return found.slice(-closing.length)
}

/** True when nothing but blank lines comes after the summary; a failing run lists its failures there. */
export function endsWithSummary(output: string): boolean {
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  return line.test(stripVTControlCharacters(last))
}
