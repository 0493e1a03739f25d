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

/**
 * The closing lines of two runs as those of one, in which the second has run again what failed in the first. Where it passed
 * then, nothing has failed.
 */
export function addSummaries(first: readonly string[], second: readonly string[], isPassed: boolean): string[] {
  const countOf = (lines: readonly string[], name: string) =>
    Number(
      lines
        .map((text) => stripVTControlCharacters(text))
        .find((text) => text.startsWith(`ℹ ${name} `))
        ?.slice(name.length + 3) ?? 0,
    )
  return closing.map((name) => {
    const isMended = isPassed && (name === 'fail' || name === 'cancelled')
    return `ℹ ${name} ${(isMended ? 0 : countOf(first, name)) + countOf(second, name)}`
  })
}
