import { type KeyObject, randomBytes } from 'node:crypto'
import http from 'node:http'
import { CompactSign } from 'jose'
import type { Db } from '../../src/base/db/transact.ts'
import type { Secrets } from '../../src/base/secrets/secrets.ts'
import { heldKeys } from '../../src/keys/held-keys.ts'

export type LoopbackAnswer = { status: number; headers: http.IncomingHttpHeaders; text: string }

/** The origin that the agents of tests are told to answer. */
export const pinnedOrigin = 'https://muster.example.com'

export function callLoopback(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
): Promise<LoopbackAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: { ...headers } }
    const request = http.request(options, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** As the page of a sign-in hands a challenge over. */
export const attest = (port: number, challenge: string, headers: Record<string, string> = {}) =>
  callLoopback(port, '/v1/attest', {
    method: 'POST',
    headers: { origin: pinnedOrigin, 'content-type': 'application/json', 'sec-fetch-mode': 'cors', ...headers },
    body: JSON.stringify({ challenge }),
  })

type Changes = { header?: Record<string, unknown>; payload?: Record<string, unknown>; key?: KeyObject }

/** A challenge as the server signs them, with what a test changes. */
export async function challengeFor(
  { database: { db }, secrets, now }: { database: { db: Db }; secrets: Secrets; now: () => string },
  organizationId: string,
  { header, payload, key }: Changes = {},
): Promise<string> {
  const { kid, privateKey } = await heldKeys(db, secrets).signing({ organizationId, purpose: 'challenge' }, now())
  const iat = Math.floor(Date.parse(now()) / 1000)
  const claims = {
    ...{ iss: pinnedOrigin, aud: `urn:muster:agent:${organizationId}`, jti: randomBytes(32).toString('base64url') },
    ...{ sid: 'a-session', origin: pinnedOrigin, iat, exp: iat + 60, ...payload },
  }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-challenge+jwt', kid, ...header })
    .sign(key ?? privateKey)
}
