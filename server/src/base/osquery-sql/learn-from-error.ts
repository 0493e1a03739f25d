import type { DatabaseSync } from 'node:sqlite'
import { columnOwners } from './column-owners.ts'
import { lowerAscii } from './read-tokens.ts'
import { type StubTables, stubTables } from './stub-tables.ts'

export type Learner = {
  /** In lower case. */
  readonly tables: () => string[]
  /** Changes the stubs so that the error goes away or moves on, or throws what to tell people. */
  learn: (message: string) => void
}

const maxTables = 50
const aggregates = ['stdev', 'variance', 'mode', 'median', 'lower_quartile', 'upper_quartile']

/** What SQLite misses is added, and a column that it then finds twice is removed again. */
export function errorLearner(database: DatabaseSync): Learner {
  const stubs = stubTables(database)
  const owners = columnOwners(stubs)
  const functions = new Set<string>()
  const ambiguous = new Set<string>()
  for (const name of aggregates) defineAggregate(database, name)

  const addFunction = (name: string): boolean => {
    if (functions.has(name)) return false
    functions.add(name)
    database.function(name, { varargs: true }, () => null)
    return true
  }
  const learnColumn = (kind: 'column' | 'ambiguous', name: string): boolean => {
    const dot = name.lastIndexOf('.')
    const column = lowerAscii(name.slice(dot + 1))
    if (kind === 'ambiguous') ambiguous.add(column)
    const qualifier = name.slice(0, Math.max(dot, 0))
    const hasLearned = kind === 'column' ? owners.grow(column, qualifier) : owners.shrink(column)
    if (hasLearned || !ambiguous.has(column)) return hasLearned
    throw new Error(`several tables could have the column ${column}; write the table before it`)
  }
  const change = (kind: ErrorKind | undefined, name: string): boolean => {
    if (kind === 'table') return addTable(stubs, name)
    if (kind === 'function') return addFunction(lowerAscii(name))
    return kind !== undefined && learnColumn(kind, name)
  }

  return {
    tables: () => stubs.list.map((stub) => lowerAscii(stub.name)),
    learn(message) {
      if (!change(...readError(message))) throw new Error(message)
    },
  }
}

/** `name` may have a schema before it, or be one name with a dot in it: SQLite's message is the same. */
function addTable(stubs: StubTables, name: string): boolean {
  if (stubs.list.length >= maxTables) throw new Error(`it reads more than ${maxTables} tables`)
  const dot = name.indexOf('.')
  const schema = lowerAscii(name.slice(0, Math.max(dot, 0)))
  const isPlaced = (schema === 'main' || schema === 'temp') && stubs.add(schema, name.slice(dot + 1))
  return isPlaced || stubs.add('temp', name)
}

const errors = [
  ['table', /^no such table: (.+)$/s],
  ['function', /^no such function: (.+)$/s],
  ['column', /^no such column: (.+)$/s],
  ['column', /^cannot join using column (.+) - column not present in both tables$/s],
  ['ambiguous', /^ambiguous column name: (.+)$/s],
] as const

type ErrorKind = (typeof errors)[number][0]

function readError(message: string): [kind: ErrorKind | undefined, name: string] {
  for (const [kind, pattern] of errors) {
    const name = pattern.exec(message)?.[1]
    if (name !== undefined) return [kind, name]
  }
  return [undefined, '']
}

function defineAggregate(database: DatabaseSync, name: string): void {
  const step = (state: null) => state
  database.aggregate<null>(name, { start: null, step, inverse: step, result: step, varargs: true })
}
