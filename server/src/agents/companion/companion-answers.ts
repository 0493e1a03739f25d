import type { Answer } from '../protocol/answers.ts'

const refusal = (status: number, code: string, message: string): Answer => ({
  status,
  text: JSON.stringify({ error: { code, message } }),
})

/** What a companion hears instead of an answer (docs/companion-protocol.md). */
export const refusals = {
  unreadable: refusal(
    400,
    'invalid_request',
    'The request has no DPoP header of a companion, or its body is not a JSON object',
  ),
  invalid: refusal(401, 'invalid_signature', 'The request is not signed by its key for this address'),
  /** RFC 9449 §9: the answer has the nonce that counts. */
  otherNonce: refusal(401, 'use_dpop_nonce', 'Sign the request again with the nonce of this answer'),
  unknownKey: refusal(401, 'unknown_key', 'This key is not enrolled'),
  unknownSecret: refusal(401, 'unknown_secret', 'This enrollment secret is not valid'),
  notLinked: refusal(403, 'not_linked', 'The key is not linked to a device'),
  keyInUse: refusal(409, 'key_in_use', 'This key is enrolled in another organization'),
  tooMany: refusal(429, 'too_many_requests', 'Too many requests with unknown keys came from this address'),
  tooManyWaiting: refusal(
    429,
    'too_many_requests',
    'Too many keys that enrolled with this secret within an hour wait for their link. Try again later.',
  ),
  busy: refusal(503, 'busy', 'Too many requests are under way. Try again later.'),
  tooSlow: refusal(408, 'too_slow', 'The body arrived too slowly'),
  tooLarge: refusal(413, 'too_large', 'The body is too large'),
  unavailable: refusal(503, 'unavailable', 'The service is not available'),
  failed: refusal(500, 'internal_error', 'The request failed'),
} as const

const byStatus: Partial<Record<number, Answer>> = {
  408: refusals.tooSlow,
  413: refusals.tooLarge,
  429: refusals.tooMany,
  503: refusals.busy,
}

/** Of a request whose head or body was not taken. */
export const refusalOf = (status: number): Answer => byStatus[status] ?? refusals.unreadable
