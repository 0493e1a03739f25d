import { createHmac } from 'node:crypto'
import { type CustomHeaders, secretPrefix } from './endpoint-secret.ts'

export type SigningSecrets = {
  current: string
  /** The one before, until receivers have the current one. */
  previous?: string | undefined
}

export type Signed = {
  messageId: string
  /** Exactly as it is sent. */
  body: string
  timestampSeconds: number
  secrets: SigningSecrets
  /** Of the endpoint, the same in every request. */
  identifier: string
  custom?: CustomHeaders | undefined
}

/** The key of Standard Webhooks: what the secret's base64 stands for. */
const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(secretPrefix.length), 'base64')

/** `v1,` and base64 of HMAC-SHA-256 over id, seconds and body (Standard Webhooks, symmetric signatures). */
const signatureOf = (secret: string, { messageId, timestampSeconds, body }: Omit<Signed, 'secrets'>): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${messageId}.${timestampSeconds}.${body}`).digest('base64')}`

/** Lower-case hex of HMAC-SHA-256 over the body, keyed with the secret as it is shown. */
const authorizationOf = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex')

/**
 * All headers of a request to an endpoint. While two secrets overlap both sign, the current one first; Authorization,
 * which has room for one, stays with the previous one until the overlap ends.
 */
export function headersOf(signed: Signed): Record<string, string> {
  const { messageId, body, timestampSeconds, secrets, identifier, custom } = signed
  const { current, previous } = secrets
  const keys = previous === undefined ? [current] : [current, previous]
  return {
    ...custom,
    'content-type': 'application/json',
    'user-agent': 'Muster',
    'webhook-id': messageId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': keys.map((secret) => signatureOf(secret, signed)).join(' '),
    authorization: authorizationOf(previous ?? current, body),
    'x-service-webhook-identifier': identifier,
  }
}
