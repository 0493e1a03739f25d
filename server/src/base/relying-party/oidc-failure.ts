import { AuthorizationResponseError } from 'openid-client'

/** What a provider did not do as it should, or said no to. `reason` is what the page for signing in is told. */
export class OidcFailure extends Error {
  override readonly name = 'OidcFailure'
  readonly reason: 'expired' | 'refused' | 'unavailable'
  /** The error that the provider's own answer names (RFC 6749 §4.1.2.1); undefined where the fault is another. */
  readonly answer: string | undefined

  constructor(reason: OidcFailure['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
    this.answer = cause instanceof AuthorizationResponseError ? cause.error : undefined
  }
}

/** What went wrong with a provider, as an OidcFailure. */
export function failureOf(error: unknown): OidcFailure {
  if (error instanceof OidcFailure) return error
  const isNetwork = error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')
  if (isNetwork || isBusy(error))
    return new OidcFailure('unavailable', 'The identity provider cannot be reached', error)
  return new OidcFailure('refused', 'The identity provider’s answer is not valid', error)
}

/** It answers, and says that it cannot serve now. */
function isBusy(error: unknown): boolean {
  const { status, cause } = Object(error) as { status?: unknown; cause?: unknown }
  const answered = cause instanceof Response ? cause.status : status
  return typeof answered === 'number' && answered >= 500
}

/** The code of a fault below an error, as those who connect give it; undefined where none of its causes has one. */
export function codeOf(error: unknown): string | undefined {
  let at: unknown = error
  for (let depth = 0; depth < 6 && at instanceof Error; depth += 1) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string' && /^[A-Z_]+$/.test(code) && !code.startsWith('OAUTH_')) return code
    at = at.cause
  }
  return undefined
}
