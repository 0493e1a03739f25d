import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { type CustomHeaders, secretPrefix } from './endpoint-secret.ts'

/** The keys of a secret, made once: making them costs several times what signing does. */
export type SigningKeys = {
  /** Of Standard Webhooks: what the secret's base64 stands for. */
  standard: KeyObject
  /** The secret as it is shown. */
  shown: KeyObject
}

export const signingKeysOf = (secret: string): SigningKeys => ({
  standard: createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64')),
  shown: createSecretKey(Buffer.from(secret)),
})

export type Signed = {
  messageId: string
  /** Exactly as it is sent. */
  body: string
  timestampSeconds: number
  keys: {
    current: SigningKeys
    /** Of the secret before, until receivers have the current one. */
    previous?: SigningKeys | undefined
  }
  /** Of the endpoint, the same in every request. */
  identifier: string
  custom?: CustomHeaders | undefined
}

/** `v1,` and base64 of HMAC-SHA-256 over id, seconds and body (Standard Webhooks, symmetric signatures). */
const signatureOf = ({ standard }: SigningKeys, { messageId, timestampSeconds, body }: Signed): string =>
  `v1,${createHmac('sha256', standard).update(`${messageId}.${timestampSeconds}.${body}`).digest('base64')}`

/** Lower-case hex of HMAC-SHA-256 over the body, keyed with the secret as it is shown. */
const authorizationOf = ({ shown }: SigningKeys, body: string): string =>
  createHmac('sha256', shown).update(body).digest('hex')

/**
 * All headers of a request to an endpoint. While two secrets overlap both sign, the current one first; Authorization,
 * which has room for one, stays with the previous one until the overlap ends.
 */
export function headersOf(signed: Signed): Record<string, string> {
  const { messageId, body, timestampSeconds, identifier, custom } = signed
  const { current, previous } = signed.keys
  const keys = previous === undefined ? [current] : [current, previous]
  return {
    ...custom,
    'content-type': 'application/json',
    'user-agent': 'Muster',
    'webhook-id': messageId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': keys.map((key) => signatureOf(key, signed)).join(' '),
    authorization: authorizationOf(previous ?? current, body),
    'x-service-webhook-identifier': identifier,
  }
}
