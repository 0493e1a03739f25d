import { randomBytes } from 'node:crypto'
import { CompactSign, importJWK } from 'jose'
import type { Outcome } from '../protocol/interpret-answer.ts'
import type { Transport } from '../protocol/open-transport.ts'
import { type CompanionState, publicHalf } from './companion-state.ts'

export type Operation = 'enroll' | 'contact' | 'results'

/** A request of a companion (docs/companion-protocol.md): a compact JWS (RFC 7515) over its fields, by its key. */
async function signRequest(
  { server, kid, privateJwk, trust }: CompanionState,
  operation: Operation,
  fields: Record<string, unknown>,
): Promise<string> {
  const iat = Math.floor((Date.now() + (trust?.offsetMs ?? 0)) / 1000)
  const payload = { iss: kid, aud: addressOf(server, operation), iat, jti: randomBytes(16).toString('base64url') }
  const named = operation === 'enroll' ? { jwk: publicHalf(privateJwk) } : { kid }
  return new CompactSign(new TextEncoder().encode(JSON.stringify({ ...payload, ...fields })))
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-companion+jwt', ...named })
    .sign(await importJWK(privateJwk, 'ES256'))
}

/** Posts a signed request. Rejects when no answer came. */
export async function signedPost(
  transport: Transport,
  state: CompanionState,
  operation: Operation,
  fields: Record<string, unknown>,
): Promise<Outcome> {
  const request = await signRequest(state, operation, fields)
  return transport.post(pathOf(operation), JSON.stringify({ request }), undefined)
}

const pathOf = (operation: Operation): string => `/api/v1/companion/${operation}`

export const addressOf = (server: string, operation: Operation): string =>
  `${server.replace(/\/$/, '')}${pathOf(operation)}`
