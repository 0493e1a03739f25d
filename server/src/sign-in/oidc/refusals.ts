import type { RequestRefusal } from '@muster/contract/request-refusals.ts'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'

/** A signed request that has begun a sign-in before. */
export class ReplayedRequest extends errors.InvalidRequestObject {}

/** A signed request that is not of now, by our clock: it is old, or its caller's clock is wrong. */
export class StaleRequest extends errors.InvalidRequestObject {}

class PkceMissing extends errors.InvalidRequest {}
class NonceMissing extends errors.InvalidRequest {}

/**
 * What a request without PKCE is refused for (RFC 9700 §2.1.1): where PKCE is not required, a nonce has to stand in its place, by
 * which the application tells a code that was meant for another sign-in.
 */
export const judgePkce =
  (clientsWithout: ReadonlySet<string>) =>
  ({ oidc }: KoaContextWithOIDC, { clientId }: { clientId: string }): boolean => {
    if (!clientsWithout.has(clientId)) {
      throw new PkceMissing('Authorization Server policy requires PKCE to be used for this request')
    }
    if (oidc.params?.['nonce'] === undefined) throw new NonceMissing('a request without PKCE has to come with a nonce')
    return false
  }

type ErrorClass = abstract new (...args: never[]) => Error

const byClass: readonly (readonly [ErrorClass, RequestRefusal])[] = [
  [PkceMissing, 'pkce_missing'],
  [NonceMissing, 'nonce_missing'],
  [ReplayedRequest, 'request_replayed'],
  [StaleRequest, 'request_time'],
  [errors.InvalidRedirectUri, 'redirect_uri'],
  [errors.UnsupportedResponseType, 'response_type'],
  [errors.UnsupportedResponseMode, 'response_mode'],
  [errors.InvalidRequestObject, 'request_object'],
  [errors.InvalidClientAuth, 'client_secret'],
  [errors.UnsupportedGrantType, 'grant_type'],
]

/** What the library tells apart by its own words alone. */
const byWords: readonly (readonly [ErrorClass, RegExp, RequestRefusal])[] = [
  [errors.InvalidRequest, /code_challenge_method/, 'pkce_method'],
  [errors.InvalidRequest, /response_mode/, 'response_mode'],
  [errors.InvalidRequest, /^Request Object must be used/, 'request_unsigned'],
  [errors.InvalidGrant, /code_verifier/, 'code_verifier'],
  [errors.InvalidGrant, /redirect_uri/, 'code_redirect_uri'],
  [errors.InvalidGrant, /^/, 'code'],
  [errors.InvalidRequest, /^/, 'request_invalid'],
  [errors.InvalidScope, /^/, 'request_invalid'],
]

/** What was wrong with a request; undefined for an error that says nothing of how its application is set up. */
export function refusalOfError(error: Error, responseType: unknown): RequestRefusal | undefined {
  const known = byClass.find(([kind]) => error instanceof kind)
  if (known) return known[1]
  const { error_description: description, error_detail: detail } = error as {
    error_description?: string
    error_detail?: string
  }
  const words = detail ?? description ?? ''
  const found = byWords.find(([kind, pattern]) => error instanceof kind && pattern.test(words))?.[2]
  // A response type brings a mode of its own, which is judged first.
  return found === 'response_mode' && responseType !== 'code' ? 'response_type' : found
}
