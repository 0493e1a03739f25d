import pg from 'pg'

/**
 * How values leave and enter the database, the same on both engines because both use these two functions:
 * PostgreSQL's text form in, plain TypeScript values out.
 */
export type ParseValue = (text: string) => unknown

const asText: ParseValue = (text) => text
const asNumber: ParseValue = (text) => Number(text)
const asJson: ParseValue = (text) => JSON.parse(text)
const asBoolean: ParseValue = (text) => text === 't'
const asBuffer: ParseValue = (text) => Buffer.from(text.slice(2), 'hex')

/**
 * PostgreSQL's timestamptz text at UTC as ISO 8601 with exactly three fraction digits and Z: by slicing, since a
 * Date per value is the larger part of a page's parsing. Finer digits are cut. `infinity` stays as it is.
 */
export function instantFromText(text: string): string {
  if (!text.endsWith('+00')) return unusualInstant(text)
  if (text.length === 22) return `${text.slice(0, 10)}T${text.slice(11, 19)}.000Z`
  if (text.length > 22 && text[10] === ' ' && text[19] === '.') {
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).slice(0, 3).padEnd(3, '0')}Z`
  }
  return unusualInstant(text)
}

const instantPattern = /^(\d{4,6})-(\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00( BC)?$/

/** Years beyond 9999 and before 1 take ISO 8601's six-digit signed form, as Date writes them. */
function unusualInstant(text: string): string {
  const match = instantPattern.exec(text)
  if (!match) {
    if (text === 'infinity' || text === '-infinity') return text
    throw new Error(`Not a timestamp at UTC: ${text}`)
  }
  const [, digits = '', day, time, fraction = '', isBeforeChrist] = match
  const year = isBeforeChrist ? 1 - Number(digits) : Number(digits)
  const written =
    year >= 0 && year <= 9999
      ? String(year).padStart(4, '0')
      : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`
  return `${written}-${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

/** text[]: pg-types has its parser, though its typings list no array types. */
const textArray = 1009 as never
const splitArray: (text: string) => unknown = pg.types.getTypeParser(textArray, 'text')

function parseElements(elements: unknown, parse: ParseValue): unknown {
  if (Array.isArray(elements)) return elements.map((element) => parseElements(element, parse))
  return typeof elements === 'string' ? parse(elements) : elements
}

/** Element type, its array type, and how one element is read. */
const known: [oid: number, arrayOid: number, parse: ParseValue][] = [
  [16, 1000, asBoolean],
  [17, 1001, asBuffer],
  [20, 1016, asText],
  [21, 1005, asNumber],
  [23, 1007, asNumber],
  [25, 1009, asText],
  [26, 1028, asNumber],
  [114, 199, asJson],
  [700, 1021, asNumber],
  [701, 1022, asNumber],
  [1042, 1014, asText],
  [1043, 1015, asText],
  [1082, 1182, asText],
  [1114, 1115, asText],
  [1184, 1185, instantFromText],
  [1186, 1187, asText],
  [1700, 1231, asText],
  [2950, 2951, asText],
  [3802, 3807, asJson],
]

const parsers = new Map<number, ParseValue>(
  known.flatMap(([oid, arrayOid, parse]) => [
    [oid, parse],
    [arrayOid, (text: string) => parseElements(splitArray(text), parse)],
  ]),
)

/** The parser of a type by its object identifier; types not listed stay text. */
export function parserOf(oid: number): ParseValue {
  return parsers.get(oid) ?? asText
}

/**
 * A parameter as the wire takes it: text, raw bytes, or null. Arrays become PostgreSQL arrays, so a JSON array
 * must come as JSON text; other objects are written as JSON.
 */
export function encodeValue(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  if (Buffer.isBuffer(value)) return value
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return encodeArray(value)
  return JSON.stringify(value)
}

const needsEscapes = /["\\]/

/** Check-ins send arrays of hundreds of values, so what needs no escape is not searched twice. */
function encodeArray(values: readonly unknown[]): string {
  let text = '{'
  for (const value of values) {
    if (text.length > 1) text += ','
    text += Array.isArray(value) ? encodeArray(value) : encodeElement(encodeValue(value))
  }
  return `${text}}`
}

function encodeElement(encoded: string | Buffer | null): string {
  if (encoded === null) return 'NULL'
  if (typeof encoded !== 'string') return `"\\\\x${encoded.toString('hex')}"`
  if (!needsEscapes.test(encoded)) return `"${encoded}"`
  return `"${encoded.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
