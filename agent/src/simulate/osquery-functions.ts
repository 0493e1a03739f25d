import { createHash } from 'node:crypto'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { inCidrBlock, inetAton } from '../sql/addresses.ts'
import { regexMatch, regexSplit, split } from '../sql/text-functions.ts'
import { versionCompare } from '../sql/version-compare.ts'

const text = (value: SQLInputValue | undefined): string => String(value ?? '')

const digest = (algorithm: string) => (value: SQLInputValue) => createHash(algorithm).update(text(value)).digest('hex')

/** Functions whose answer is NULL as soon as one argument is. */
const strictFunctions: Record<string, (...values: SQLInputValue[]) => SQLInputValue> = {
  version_compare: (left, right, flavor) => versionCompare(text(left), text(right), text(flavor)),
  regex_match: (subject, pattern, group) => regexMatch(text(subject), text(pattern), Number(group)),
  regex_split: (subject, pattern, place) => regexSplit(text(subject), text(pattern), Number(place)),
  split: (subject, separators, place) => split(text(subject), text(separators), Number(place)),
  inet_aton: (address) => inetAton(text(address)),
  in_cidr_block: (block, address) => inCidrBlock(text(block), text(address)),
  md5: digest('md5'),
  sha1: digest('sha1'),
  sha256: digest('sha256'),
  to_base64: (value) => Buffer.from(text(value)).toString('base64'),
  from_base64: (value) => Buffer.from(text(value), 'base64').toString('utf8'),
}

/** The functions that osquery adds to SQLite and that checks and queries may call. */
export function addOsqueryFunctions(database: DatabaseSync): void {
  const options = { deterministic: true, varargs: true }
  for (const [name, run] of Object.entries(strictFunctions)) {
    database.function(name, options, (...values) => (values.includes(null) ? null : run(...values)))
  }
  database.function('concat', options, (...values) => values.map(text).join(''))
  database.function('concat_ws', options, (separator = null, ...values) =>
    values
      .filter((value) => value !== null)
      .map(text)
      .join(text(separator)),
  )
}
