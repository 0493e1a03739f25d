import { createHash } from 'node:crypto'
import type { SqlValue } from '../tables/table.ts'
import { inCidrBlock, inetAton } from './addresses.ts'
import { type Sqlite, withCString } from './sqlite.ts'
import { regexMatch, regexSplit, split } from './text-functions.ts'
import { versionCompare } from './version-compare.ts'

const UTF8 = 1
const DETERMINISTIC = 0x800

const text = (value: SqlValue | undefined) => String(value ?? '')

/** A NULL argument gives NULL, as in SQLite's own functions. */
const strict =
  (run: (...values: SqlValue[]) => SqlValue) =>
  (...values: SqlValue[]) =>
    values.includes(null) ? null : run(...values)

const digest = (algorithm: string) =>
  strict((value) =>
    createHash(algorithm)
      .update(text(value ?? ''))
      .digest('hex'),
  )

/** osquery's functions beyond SQLite's own and the mathematics that the build already has; -1 is any number of arguments. */
const functions: [name: string, arity: number, run: (...values: SqlValue[]) => SqlValue][] = [
  ['version_compare', 2, strict((left, right) => versionCompare(text(left), text(right), ''))],
  ['version_compare', 3, strict((left, right, flavor) => versionCompare(text(left), text(right), text(flavor)))],
  ['regex_match', 3, strict((subject, pattern, group) => regexMatch(text(subject), text(pattern), Number(group)))],
  ['regex_split', 3, strict((subject, pattern, index) => regexSplit(text(subject), text(pattern), Number(index)))],
  ['split', 3, strict((subject, delimiters, index) => split(text(subject), text(delimiters), Number(index)))],
  ['concat', -1, (...values) => values.map(text).join('')],
  [
    'concat_ws',
    -1,
    (separator = null, ...values) =>
      values
        .filter((value) => value !== null)
        .map(text)
        .join(text(separator)),
  ],
  ['inet_aton', 1, strict((address) => inetAton(text(address)))],
  ['in_cidr_block', 2, strict((block, address) => inCidrBlock(text(block), text(address)))],
  ['md5', 1, digest('md5')],
  ['sha1', 1, digest('sha1')],
  ['sha256', 1, digest('sha256')],
  ['to_base64', 1, strict((value) => Buffer.from(text(value)).toString('base64'))],
  ['from_base64', 1, strict((value) => Buffer.from(text(value), 'base64').toString('utf8'))],
]

/** Adds osquery's functions to the database. An exception becomes the error of the query. */
export function registerFunctions(sqlite: Sqlite): void {
  for (const [name, arity, run] of functions) {
    sqlite.api.create_function(sqlite.db, name, arity, UTF8 | DETERMINISTIC, 0, (context, pointers) => {
      try {
        const values = Array.from(pointers).map((pointer) => {
          const value = sqlite.api.value(pointer)
          return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value
        })
        sqlite.api.result(context, run(...values))
      } catch (error) {
        const message = `${name}: ${error instanceof Error ? error.message : String(error)}`
        withCString(sqlite.module, message, (pointer) => sqlite.module._sqlite3_result_error(context, pointer, -1))
      }
    })
  }
}
