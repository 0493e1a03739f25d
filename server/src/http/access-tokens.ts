import type { Secrets } from '../base/secrets/secrets.ts'
import type { TokenPrefix } from '../base/secrets/token-prefixes.ts'
import { isGoodNow } from '../base/time.ts'

/** What an access token may be used for: reading and polling streams, or everything about them. */
export const scopes = ['ssf.manage', 'ssf.read'] as const
export type Scope = (typeof scopes)[number]

export type AccessToken = {
  /** Finds the key that the token was given for, with all that holds of it: its limit, its permissions, its end. */
  lookupHash: Buffer
  scopes: ReadonlySet<Scope>
}

/** How long a token is good for. */
export const accessTokenSeconds = 3_600

const prefix = 'mstr_at_' satisfies `${TokenPrefix}_`
const purpose = 'access token'
const hashLength = 32
/** The hash, a bit for each scope, and the seconds of its end since 1970. */
const contentLength = hashLength + 1 + 4
const codeLength = 16

export const isAccessToken = (text: string): boolean => text.startsWith(prefix)

/** Represents a key for a limited time. It is not stored: its contents are signed with our own code. */
export function makeAccessToken(secrets: Secrets, { lookupHash, scopes: granted }: AccessToken, endsAtMs: number) {
  const content = Buffer.alloc(contentLength)
  lookupHash.copy(content)
  content.writeUInt8(
    scopes.reduce((bits, scope, place) => bits | (granted.has(scope) ? 1 << place : 0), 0),
    hashLength,
  )
  content.writeUInt32BE(Math.floor(endsAtMs / 1_000), hashLength + 1)
  return prefix + Buffer.concat([content, secrets.sign(purpose, content)]).toString('base64url')
}

/** Undefined for what was not made here, or has ended. */
export function readAccessToken(secrets: Secrets, text: string, nowMs: number): AccessToken | undefined {
  const bytes = Buffer.from(text.slice(prefix.length), 'base64url')
  const content = bytes.subarray(0, contentLength)
  if (bytes.length !== contentLength + codeLength || !secrets.verify(purpose, content, bytes.subarray(contentLength))) {
    return undefined
  }
  // Another spelling of the same bytes is not what was handed out.
  if (prefix + bytes.toString('base64url') !== text) return undefined
  const endsAtMs = content.readUInt32BE(hashLength + 1) * 1_000
  if (!isGoodNow(endsAtMs, accessTokenSeconds * 1_000, nowMs)) return undefined
  const bits = content.readUInt8(hashLength)
  return {
    lookupHash: content.subarray(0, hashLength),
    scopes: new Set(scopes.filter((_, place) => bits & (1 << place))),
  }
}
