import { DatabaseSync } from 'node:sqlite'
import { expansionSize } from './expansion-size.ts'
import { errorLearner, type Learner } from './learn-from-error.ts'
import { readTokens, unquote } from './read-tokens.ts'
import { starColumn } from './stub-tables.ts'

export type OsquerySql =
  | { kind: 'query'; tables: string[]; columns: string[] | undefined }
  | { kind: 'refused'; message: string }

const maxCharacters = 64_000
const maxRounds = 500
/** Tokens compiled in all rounds together. */
const maxTokens = 4_000_000
const unequalWidths = /^SELECTs to the left and right of .* do not have the same number of result columns$/
const prefix = 'CREATE TEMP VIEW "muster: statement" AS '

/**
 * What a statement of osquery's SQL reads, according to SQLite itself; nothing runs. `tables` are the osquery tables,
 * sorted and in lower case, without SQLite's own and common table expressions; a call of carve() counts as `carves`.
 * `columns` are the names of the result, undefined where a star makes them the table's. `message` is for people.
 */
export function inspectOsquerySql(sql: string): OsquerySql {
  const fault = faultOfText(sql)
  if (fault !== undefined) return { kind: 'refused', message: fault }
  const size = expansionSize(sql)
  if (size > maxTokens / 20) return refuse('it is too large once its common table expressions are put in')
  const database = new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true })
  try {
    const rest = declareView(database, sql)
    if (readTokens(rest).some((token) => token.text !== ';')) return refuse('it holds more than one statement')
    const learner = errorLearner(database)
    const columns = resolveView(database, learner, Math.min(maxRounds, Math.floor(maxTokens / size)))
    const tables = new Set([...learner.tables(), ...(callsCarve(sql) ? ['carves'] : [])])
    return { kind: 'query', tables: [...tables].toSorted(), columns }
  } catch (error) {
    return refuse(explain(messageOf(error)))
  } finally {
    database.close()
  }
}

const refuse = (why: string): OsquerySql => ({ kind: 'refused', message: `The SQL cannot be used: ${why}.` })

function faultOfText(sql: string): string | undefined {
  if (sql.length > maxCharacters) return `The SQL must not be longer than ${maxCharacters} characters.`
  // A reader in C ends at a NUL: what follows would be seen here and not there.
  if (sql.includes('\0') || !sql.isWellFormed()) return 'The SQL holds characters that are no text.'
  const [first] = readTokens(sql)
  if (first === undefined) return 'The SQL is empty.'
  if (first.kind === 'word' && ['select', 'with', 'values'].includes(first.text)) return undefined
  return 'The SQL must be one SELECT statement; it may begin with WITH, or be VALUES.'
}

/** Declares the statement as a view, which SQLite parses but does not resolve, and answers what follows it. */
function declareView(database: DatabaseSync, sql: string): string {
  const statement = database.prepare(prefix + sql)
  statement.run()
  return (prefix + sql).slice(statement.sourceSQL.length)
}

/**
 * Asks for the columns of the view until SQLite knows every name in it. That generates no code: the optimizer, which
 * some statements keep busy for hours, does not run.
 */
function resolveView(database: DatabaseSync, learner: Learner, rounds: number): string[] | undefined {
  for (let round = 0; round < rounds; round += 1) {
    try {
      const rows = database.prepare('PRAGMA temp.table_info("muster: statement")').all()
      return resultColumns(rows.map((row) => String(row['name'])))
    } catch (error) {
      // How wide a star is, only the device knows. By now every table has been found.
      if (unequalWidths.test(messageOf(error)) && learner.tables().length > 0) return undefined
      learner.learn(messageOf(error))
    }
  }
  throw new Error('it is too complicated to tell which tables it reads')
}

/** osquery's function carve() does what reading the table `carves` with `carve = 1` does. */
function callsCarve(sql: string): boolean {
  const tokens = readTokens(sql)
  return tokens.some(({ text }, at) => text === 'carve' && tokens[at + 1]?.text === '(')
}

/** A view tells equal names apart by a number behind a colon, and keeps the quotes of a name that it took for a text. */
function resultColumns(names: readonly string[]): string[] | undefined {
  if (names.some((name) => name.startsWith(starColumn))) return undefined
  return names.map((name, at) => {
    const base = name.replace(/:\d+$/, '')
    const own = base !== name && names.slice(0, at).includes(base) ? base : name
    return own.length > 2 && own.startsWith('"') && own.endsWith('"') ? unquote(own) : own
  })
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function explain(message: string): string {
  if (message === 'parameters are not allowed in views') return 'it holds parameters such as ?'
  if (message === 'Recursion limit') return 'it is nested too deeply'
  return message.slice(0, 300)
}
