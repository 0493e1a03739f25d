import { createHash, randomBytes } from 'node:crypto'
import { CompactSign, importJWK } from 'jose'
import type { Outcome } from '../protocol/interpret-answer.ts'
import type { Transport } from '../protocol/open-transport.ts'
import { type CompanionState, publicHalf } from './companion-state.ts'

export type Operation = 'enroll' | 'check_in' | 'results'
type Signer = Pick<CompanionState, 'server' | 'privateJwk'>

const pathOf = (operation: Operation): string => `/api/v1/companion/${operation}`

export const addressOf = (server: string, operation: Operation): string =>
  `${server.replace(/\/$/, '')}${pathOf(operation)}`

/** The `DPoP` header of a request (docs/companion-protocol.md): by its key, over its body, with the server's last nonce. */
export async function signRequest(
  { server, privateJwk }: Signer,
  { operation, body, nonce }: { operation: Operation; body: string; nonce: string | undefined },
): Promise<string> {
  const claims = {
    ...{ htm: 'POST', htu: addressOf(server, operation), iat: Math.floor(Date.now() / 1000) },
    jti: randomBytes(16).toString('base64url'),
    body_hash: createHash('sha256').update(body).digest('base64url'),
    ...(nonce !== undefined && { nonce }),
  }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: publicHalf(privateJwk) })
    .sign(await importJWK(privateJwk, 'ES256'))
}

/**
 * Posts signed requests one after the other, each with the nonce of the answer before; once more where the server asks for
 * another one.
 */
export function signedRequests(transport: Transport) {
  let nonce: string | undefined
  let before: Promise<unknown> = Promise.resolve()

  async function postOnce(signer: Signer, operation: Operation, body: string): Promise<Outcome> {
    const dpop = await signRequest(signer, { operation, body, nonce })
    const outcome = await transport.post(pathOf(operation), body, undefined, dpop)
    nonce = outcome.nonce ?? nonce
    return outcome
  }

  async function post(signer: Signer, operation: Operation, body: string): Promise<Outcome> {
    const outcome = await postOnce(signer, operation, body)
    const isAskedAgain = outcome.kind === 'refused' && outcome.code === 'use_dpop_nonce'
    return isAskedAgain ? postOnce(signer, operation, body) : outcome
  }

  /** Rejects when no answer came. */
  return (signer: Signer, operation: Operation, fields: Record<string, unknown>): Promise<Outcome> => {
    const outcome = before.then(() => post(signer, operation, JSON.stringify(fields)))
    before = outcome.catch(() => undefined)
    return outcome
  }
}
