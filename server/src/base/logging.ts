import { type DestinationStream, type Logger, pino } from 'pino'
import { systemClock } from './clock.ts'
import { tokenPrefixes } from './secrets/token-prefixes.ts'

export type { Logger }

type LoggedRequest = { method?: string; url?: string; ip?: string; id?: unknown }

/**
 * One JSON line for each entry, to standard output unless told otherwise. Two nets hold secrets back: fields are
 * judged by their names before serializing, and the finished line is searched for what looks like a secret.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    timestamp: () => `,"time":"${systemClock()}"`,
    base: {},
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => redactFields(fields),
    },
    serializers: {
      // Headers are left out altogether: none is worth the risk of logging the next secret one.
      req: ({ id, method, url, ip }: LoggedRequest) => ({ id, method, url, remote_address: ip }),
      res: ({ statusCode }: { statusCode?: number }) => ({ status_code: statusCode }),
      err: (error: unknown) => (error instanceof Error ? redactFields(pino.stdSerializers.err(error)) : error),
    },
    hooks: { streamWrite: redactText },
  }
  return destination ? pino(options, destination) : pino(options)
}

const hidden = '[secret]'
const deepest = 8

/** Ends of field names whose values are secrets, in snake_case, camelCase and as headers. */
const names =
  '(?:authorization|cookie|secret|password|passphrase|credentials?|token|(?:node|api|master|private)[_-]?key)'
const secretName = new RegExp(`${names}$`, 'i')

/** A copy of plain fields in which those with telling names are hidden. Other objects are left to their serializers. */
function redactFields(fields: object): Record<string, unknown> {
  return redactEntries(fields, 0)
}

function redactEntries(fields: object, depth: number): Record<string, unknown> {
  const redacted: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const kept = value === null || value === undefined || !isSecret(name) ? redactValue(value, depth) : hidden
    if (name === '__proto__') Object.defineProperty(redacted, name, { value: kept, enumerable: true })
    else redacted[name] = kept
  }
  return redacted
}

const judgedNames = new Map<string, boolean>()
const maxJudgedNames = 1_000

/** Nearly all lines have the same few names. */
function isSecret(name: string): boolean {
  const known = judgedNames.get(name)
  if (known !== undefined) return known
  const isOne = secretName.test(name)
  if (judgedNames.size < maxJudgedNames) judgedNames.set(name, isOne)
  return isOne
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  const isArray = Array.isArray(value)
  if (!isArray && !isPlain(value)) return value
  if (depth >= deepest) return '[deeper]'
  return isArray ? value.map((element) => redactValue(element, depth + 1)) : redactEntries(value, depth + 1)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

// Agents can put any text into a log line, so each pattern must take time linear in its length.
const patterns: [pattern: RegExp, replacement: string][] = [
  // Behind the prefix, base64 in either alphabet, also as it is written in addresses.
  [new RegExp(`((?:${tokenPrefixes.join('|')})_)[0-9A-Za-z+/=_%-]{8,}`, 'g'), `$1${hidden}`],
  [/\b(Bearer|Basic) +[0-9A-Za-z._~+/=-]+/gi, `$1 ${hidden}`],
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^-]*-----END \1PRIVATE KEY-----/g, hidden],
  // The password of a URL.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:@/?#"\\]*):[^\s@/"\\]*@/gi, `$1:${hidden}@`],
  // A query string or form.
  [new RegExp(`(${names})=[^&\\s"'\\\\]+`, 'gi'), `$1=${hidden}`],
  // What the formatter above does not see: the bindings of child loggers.
  [new RegExp(`(${names}":)"(?:[^"\\\\]|\\\\.)*"`, 'gi'), `$1"${hidden}"`],
  // JSON inside a string: the quotes at both ends carry the same backslashes. Never past the end of that string.
  [
    new RegExp(`(${names})(\\\\+")(\\s*:\\s*)\\2(?:[^"\\\\]|\\\\.)*?(?:(?<!\\\\)\\2|(?="))`, 'gi'),
    `$1$2$3$2${hidden}$2`,
  ],
]

/** What every match of the patterns has in it: most lines have none of it, and need no other search. */
const suspicious = new RegExp(`${tokenPrefixes.join('_|')}_|bearer |basic |-----BEGIN |://|${names}(?:=|"|\\\\)`, 'i')

/** Hides whatever in a text has the form of a secret. A line of JSON stays one. */
function redactText(text: string): string {
  if (!suspicious.test(text)) return text
  return patterns.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
}
