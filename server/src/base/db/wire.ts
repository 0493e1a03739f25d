import { protocol } from '@electric-sql/pglite'
import pg from 'pg'
import type { Row, StatementResult } from './sessions.ts'
import { encodeValue, type ParseValue, parserOf } from './values.ts'

/**
 * PostgreSQL's frontend/backend protocol, version 3, as far as the embedded engine speaks it ("Message Formats" in
 * the PostgreSQL manual): a whole statement goes as one buffer and comes back as one, read here straight into rows.
 */
const { serialize } = protocol

export function encodeStatement(text: string, parameters: readonly unknown[]): Uint8Array {
  if (parameters.length === 0) return serialize.query(text)
  return Buffer.concat([
    serialize.parse({ text }),
    serialize.bind({ values: parameters.map(encodeValue) }),
    serialize.describe({ type: 'P' }),
    serialize.execute({}),
    serialize.sync(),
  ])
}

export type Answer = {
  /** One for each statement. */
  results: StatementResult[]
  error: pg.DatabaseError | undefined
  notifications: { channel: string; payload: string }[]
}

type Column = { name: string; parse: ParseValue }

const code = (letter: string) => letter.charCodeAt(0)
const [rowDescription, dataRow, commandComplete] = [code('T'), code('D'), code('C')]
const [errorResponse, notificationResponse] = [code('E'), code('A')]

export function decodeAnswer(bytes: Uint8Array): Answer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const answer: Answer = { results: [], error: undefined, notifications: [] }
  let columns: Column[] = []
  let rows: Row[] = []
  let start = 0
  while (start + 5 <= buffer.length) {
    const end = start + 1 + buffer.readInt32BE(start + 1)
    const body = start + 5
    const kind = buffer[start]
    if (kind === dataRow) rows.push(decodeRow(buffer, body, columns))
    else if (kind === rowDescription) columns = decodeColumns(buffer, body)
    else if (kind === commandComplete) {
      answer.results.push(completed(buffer.toString('utf8', body, end - 1), rows))
      rows = []
    } else if (kind === errorResponse) answer.error ??= decodeError(buffer, body, end)
    else if (kind === notificationResponse) answer.notifications.push(decodeNotification(buffer, body))
    start = end
  }
  return answer
}

function completed(tag: string, rows: Row[]): StatementResult {
  const words = tag.split(' ')
  const count = Number(words.at(-1))
  return { command: words[0] ?? '', rowCount: Number.isNaN(count) ? null : count, rows }
}

function decodeColumns(buffer: Buffer, body: number): Column[] {
  const columns: Column[] = []
  let at = body + 2
  for (let left = buffer.readInt16BE(body); left > 0; left -= 1) {
    const end = buffer.indexOf(0, at)
    columns.push({ name: buffer.toString('utf8', at, end), parse: parserOf(buffer.readInt32BE(end + 7)) })
    at = end + 19
  }
  return columns
}

function decodeRow(buffer: Buffer, body: number, columns: Column[]): Row {
  const row: Row = {}
  let at = body + 2
  for (const { name, parse } of columns) {
    const length = buffer.readInt32BE(at)
    at += 4
    if (length < 0) {
      row[name] = null
    } else {
      row[name] = parse(buffer.toString('utf8', at, at + length))
      at += length
    }
  }
  return row
}

function decodeNotification(buffer: Buffer, body: number): { channel: string; payload: string } {
  const channelEnd = buffer.indexOf(0, body + 4)
  const payloadEnd = buffer.indexOf(0, channelEnd + 1)
  return {
    channel: buffer.toString('utf8', body + 4, channelEnd),
    payload: buffer.toString('utf8', channelEnd + 1, payloadEnd),
  }
}

/** "Error and Notice Message Fields" in the PostgreSQL manual. */
const errorFields: Record<string, keyof pg.DatabaseError> = {
  S: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  P: 'position',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
  F: 'file',
  L: 'line',
  R: 'routine',
}

/** The same error class and fields as on PostgreSQL, so that callers map `code` and `constraint` alike. */
function decodeError(buffer: Buffer, body: number, end: number): pg.DatabaseError {
  const fields: Partial<Record<string, string>> = {}
  let message = 'unknown database error'
  for (let at = body; at < end && buffer[at] !== 0; ) {
    const letter = String.fromCharCode(buffer[at] ?? 0)
    const stop = buffer.indexOf(0, at + 1)
    const value = buffer.toString('utf8', at + 1, stop)
    const field = errorFields[letter]
    if (letter === 'M') message = value
    else if (field) fields[field] = value
    at = stop + 1
  }
  return Object.assign(new pg.DatabaseError(message, end - body, 'error'), fields)
}

/** An error of the engine's keeper rather than the database, in the same class with an SQLSTATE of its kind. */
export function engineError(message: string, sqlState: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { severity: 'ERROR', code: sqlState })
}
