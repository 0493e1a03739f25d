import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

type SqlValue = null | number | bigint | string | Uint8Array

const text = (value: SqlValue | undefined): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? Buffer.from(value).toString('utf8')
      : String(value)

/** The functions that osquery adds to SQLite and that checks and queries may call. */
export function addOsqueryFunctions(database: DatabaseSync): void {
  const define = (name: string, run: (...values: SqlValue[]) => SqlValue) =>
    database.function(name, { deterministic: true, varargs: true }, run)

  define('version_compare', (left, right) =>
    left === null || right === null ? null : compareVersions(text(left), text(right)),
  )
  define('regex_match', (subject, pattern, group) => regexGroup(text(subject), text(pattern), Number(group ?? 0)))
  define('regex_split', (subject, pattern, place) => elementOf(text(subject).split(new RegExp(text(pattern))), place))
  define('split', (subject, separators, place) => elementOf(splitAtAny(text(subject), text(separators)), place))
  define('concat', (...values) => values.map(text).join(''))
  define('concat_ws', (separator, ...values) =>
    values
      .filter((value) => value !== null)
      .map(text)
      .join(text(separator)),
  )
  for (const algorithm of ['md5', 'sha1', 'sha256'])
    define(algorithm, (value) => createHash(algorithm).update(text(value)).digest('hex'))
  define('to_base64', (value) => Buffer.from(text(value)).toString('base64'))
  define('from_base64', (value) => Buffer.from(text(value), 'base64').toString('utf8'))
  define('inet_aton', (value) => addressNumber(text(value)))
  define('in_cidr_block', (block, address) => (isInBlock(text(block), text(address)) ? 1 : 0))
}

/** Number by number, then text by text; `1.10` is above `1.9`, and a longer version above its prefix. */
export function compareVersions(left: string, right: string): number {
  const [leftParts, rightParts] = [partsOf(left), partsOf(right)]
  for (let at = 0; at < Math.max(leftParts.length, rightParts.length); at += 1) {
    const [one, other] = [leftParts[at], rightParts[at]]
    if (one === undefined) return -1
    if (other === undefined) return 1
    const difference =
      /^\d+$/.test(one) && /^\d+$/.test(other) ? Number(one) - Number(other) : Number(one > other) - Number(one < other)
    if (difference !== 0) return difference < 0 ? -1 : 1
  }
  return 0
}

const partsOf = (version: string): string[] => version.match(/\d+|[a-z]+/gi) ?? []

function regexGroup(subject: string, pattern: string, group: number): string | null {
  return new RegExp(pattern).exec(subject)?.[group] ?? null
}

/** osquery's `split` takes a set of separators, and drops empty parts. */
function splitAtAny(subject: string, separators: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const character of subject) {
    if (!separators.includes(character)) part += character
    else {
      if (part !== '') parts.push(part)
      part = ''
    }
  }
  if (part !== '') parts.push(part)
  return parts
}

function elementOf(parts: string[], place: SqlValue | undefined): string | null {
  return parts[Number(place)] ?? null
}

function addressNumber(address: string): number | null {
  const parts = address.split('.')
  if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255)) return null
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0)
}

function isInBlock(block: string, address: string): boolean {
  const [base = '', bits = '32'] = block.split('/')
  const [from, at] = [addressNumber(base), addressNumber(address)]
  if (from === null || at === null) return false
  const size = 2 ** (32 - Number(bits))
  return Math.floor(from / size) === Math.floor(at / size)
}
