import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

const version = 1
const tagBytes = 16
const maxCharacters = 8192

/** A cursor that was not made by this service for this very list: a bad request, never a failure of ours. */
export class CursorError extends Error {
  override readonly name = 'CursorError'
}

/** Whose list, and which: a cursor is good for nothing else. */
export type CursorScope = {
  organizationId: string
  apiVersion: string
  /** Names the list with its parents, such as `/devices/12/open_issues`. */
  resource: string
}

export type CursorPosition = {
  /** The last row's sort values and identifier, in the order of the list's keyset. */
  sortKey: readonly (string | null)[]
  /** The search text of the first page, so that a request with the cursor alone keeps it; blank for none. */
  query: string
}

/** An opaque URL-safe text: base64url of a 16-byte HMAC-SHA-256 tag and a JSON payload. `key` stays with the server. */
export function encodeCursor(state: CursorScope & CursorPosition, key: KeyObject): string {
  const payload = Buffer.from(JSON.stringify({ v: version, r: state.resource, k: state.sortKey, q: state.query }))
  const text = Buffer.concat([tagOf(payload, state, key), payload]).toString('base64url')
  if (text.length > maxCharacters) throw new Error(`A cursor of ${text.length} characters could not be read back`)
  return text
}

/**
 * Where the page before ended. `expected.query` is the request's own search text, if it sent one: it must be the
 * cursor's. Throws CursorError for anything that encodeCursor did not make for this scope with this key.
 */
export function decodeCursor(text: string, expected: CursorScope & { query?: string }, key: KeyObject): CursorPosition {
  if (text.length > maxCharacters) throw new CursorError('The cursor is too long to be one of ours')
  const bytes = Buffer.from(text, 'base64url')
  const payload = bytes.subarray(tagBytes)
  // Buffer.from skips what is not base64url and ignores spare bits: only the canonical spelling is a cursor.
  const isCanonical = bytes.length > tagBytes && bytes.toString('base64url') === text
  if (!isCanonical || !timingSafeEqual(bytes.subarray(0, tagBytes), tagOf(payload, expected, key))) {
    throw new CursorError('The cursor was not issued for this list; start again without a cursor')
  }
  const { v, r, k, q }: { v: number; r: string; k: (string | null)[]; q: string } = JSON.parse(payload.toString())
  if (v !== version || r !== expected.resource) {
    throw new CursorError('The cursor was not issued for this list; start again without a cursor')
  }
  const query = expected.query ?? ''
  if (query.trim() !== '' && query !== q) {
    throw new CursorError('The cursor belongs to another query; send the same query, or the cursor alone')
  }
  return { sortKey: k, query: q }
}

function tagOf(payload: Buffer, { organizationId, apiVersion }: CursorScope, key: KeyObject): Buffer {
  // JSON cannot contain a raw line feed, so no two scopes and payloads run into one text.
  return createHmac('sha256', key)
    .update(`${JSON.stringify(['list cursor', organizationId, apiVersion])}\n`)
    .update(payload)
    .digest()
    .subarray(0, tagBytes)
}
