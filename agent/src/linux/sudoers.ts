import { needsRoot } from '../tables/needs-root.ts'
import { columns, type Row, type Table } from '../tables/table.ts'
import { listDirectory, readText } from './read-files.ts'

const maxIncludes = 64

export type SudoersLine = { header: string; details: string }

/** The logical lines of sudoers(5): continuations joined, comments and empty lines gone, `#include` and uids kept. */
export function parseSudoers(text: string): SudoersLine[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => (/^\s*(#include|#\d|@include)/.test(line) ? line : stripComment(line)).trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, header = '', details = ''] = /^((?:\\.|"[^"]*"|[^\s\\])+)\s*(.*)$/s.exec(line) ?? []
      return { header, details }
    })
}

/** A `#` starts a comment unless it is a uid or escaped. */
const stripComment = (line: string) => line.replace(/(^|[^\\])#(?!\d).*$/, '$1')

export const sudoers: Table = {
  name: 'sudoers',
  columns: columns('source header rule_details'),
  notCollected: needsRoot,
  collect: () => rulesOf('/etc/sudoers', new Set()),
}

function* rulesOf(source: string, seen: Set<string>): Iterable<Row> {
  if (seen.has(source) || seen.size > maxIncludes) return
  seen.add(source)
  for (const { header, details } of parseSudoers(readText(source) ?? '')) {
    const target = absolute(details.replace(/^"(.*)"$/, '$1'), source)
    if (/^[#@]includedir$/.test(header)) {
      // sudoers(5): names with a dot or a trailing tilde are skipped.
      for (const name of listDirectory(target)) {
        if (!name.includes('.') && !name.endsWith('~')) yield* rulesOf(`${target}/${name}`, seen)
      }
    } else if (/^[#@]include$/.test(header)) yield* rulesOf(target, seen)
    else yield { source, header, rule_details: details }
  }
}

const absolute = (path: string, from: string) =>
  path.startsWith('/') ? path : `${from.slice(0, from.lastIndexOf('/'))}/${path}`
