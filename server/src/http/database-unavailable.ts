import { NoAnswer } from '../base/db/answer-limit.ts'
import { isNotedDatabaseError } from '../base/db/database-errors.ts'

/** Connection exceptions (class 08), resources (class 53), and the server's own going down or starting up. */
const unavailableStates = /^(?:08|53|57P0[1-5]|57014|55P03|25006)/

/**
 * A session does not know the prepared statement it is asked for (26000), or has it already (42P05). What a session prepares is kept by
 * its connection alone, under names made for it, so a pooler has put another session behind the connection.
 */
const sharedSessionStates = new Set(['26000', '42P05'])

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])

/** The drivers and the pool give these no code. */
const messages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|driver has already been destroyed|The embedded database (?:failed|is closed))/

/** True when the database could not be reached or could not take the work, rather than refuse what it was asked. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  const isKnown = unavailableStates.test(code) || sharedSessionStates.has(code) || networkCodes.has(code)
  return isKnown || messages.test(error.message)
}

/** Statements that took too long or found a lock taken: the database is there, and others are not affected. */
const statesOfOneStatement = new Set(['57014', '55P03'])

/**
 * True when the error says that the database itself is away, so that other work fails for it as well. A code of the network may
 * be that of a receiver or an identity provider.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error) || !isDatabaseUnavailable(error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (networkCodes.has(code)) return error instanceof NoAnswer || isNotedDatabaseError(error)
  return !statesOfOneStatement.has(code)
}
