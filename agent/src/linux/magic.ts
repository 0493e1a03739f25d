import { NotCollected } from '../tables/not-collected.ts'
import { type Constraint, columns, type Query, type Row, type Table } from '../tables/table.ts'
import { expandPattern } from './path-patterns.ts'
import { lstatOf } from './read-files.ts'
import { findCommand, runCommand } from './run-command.ts'

const pathsAtOnce = 200
const maxPaths = 10_000

/** What libmagic, by the program `file`, takes files for. Of a link it says where it leads, and does not follow it. */
export const magic: Table = {
  name: 'magic',
  columns: columns('path magic_db_files data mime_type mime_encoding'),
  pushed: { path: 'like' },
  constraintRequired: true,
  notCollected: () => (findCommand('file') ? undefined : 'the program file is not installed'),
  *collect(constraints, query) {
    const paths = [...askedPaths(constraints, query)]
    for (let at = 0; at < paths.length; at += pathsAtOnce) yield* examine(paths.slice(at, at + pathsAtOnce), query)
  },
}

function* askedPaths(constraints: Constraint[], query: Query): Iterable<string> {
  const [by] = constraints
  if (!by) return
  const value = String(by.value)
  let found = 0
  for (const path of by.op === 'equal' ? [value] : expandPattern(value, query)) {
    if (!path.startsWith('/') || /[\n\0]/.test(path) || !lstatOf(path)) continue
    found += 1
    if (found > maxPaths) throw new NotCollected(`${value} matches more than ${maxPaths} files`)
    yield path
  }
}

function* examine(paths: string[], query: Query): Iterable<Row> {
  const ask = (...flags: string[]) => runCommand(query, 'file', ['--brief', ...flags, '--', ...paths]).split('\n')
  const [data, types, encodings] = [ask(), ask('--mime-type'), ask('--mime-encoding')]
  for (const [index, path] of paths.entries()) {
    yield { path, data: data[index], mime_type: types[index], mime_encoding: encodings[index] }
  }
}

/** There is no honest answer without an engine: no row would say that nothing matches. */
export const yara: Table = {
  name: 'yara',
  columns: columns('path matches count:integer sig_group sigfile sigrule strings tags sigurl'),
  notCollected: () => 'this agent has no YARA engine; stock osquery has one',
  collect: () => [],
}
