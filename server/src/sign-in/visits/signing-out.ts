import type { Secrets } from '../../base/secrets/secrets.ts'
import { isStorable } from '../../base/storable.ts'

/** A request to sign someone out (OpenID Connect RP-Initiated Logout 1.0 §2), as far as it says anything to us. */
export type SigningOut = {
  /** An ID token of ours. */
  hint?: string | undefined
  clientId?: string | undefined
  /** Where people are led back to, with the state. */
  returnTo?: string | undefined
  state?: string | undefined
}

/** The state goes on to the upstream and back, in an address. */
const longest = { hint: 20_000, clientId: 100, returnTo: 2_000, state: 2_000 }

/** Undefined for a request that has a parameter twice (RFC 6749 §3.1), or one that is too long or holds NUL. */
export function readSigningOut(params: URLSearchParams): SigningOut | undefined {
  const names = { hint: 'id_token_hint', clientId: 'client_id', returnTo: 'post_logout_redirect_uri', state: 'state' }
  const asked: SigningOut = {}
  for (const field of Object.keys(names) as (keyof SigningOut)[]) {
    const [value, ...others] = params.getAll(names[field]).filter((text) => text !== '')
    if (others.length > 0 || (value ?? '').length > longest[field] || !isStorable(value ?? '')) return undefined
    if (value !== undefined) asked[field] = value
  }
  return asked
}

/** The address that people are led back to. What is registered is kept letter by letter. */
export const addressBack = (returnTo: string, state: string | undefined): string =>
  state === undefined ? returnTo : `${returnTo}${returnTo.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`

export type KeptSignOut = { clientId: string; returnTo?: string | undefined; state?: string | undefined }

/**
 * What a sign-out is about while the person is at the upstream: it travels as the `state` of it, signed, so that nothing is kept here
 * and nobody else says where people are led.
 */
export function signingOutMarks(secrets: Secrets, organizationId: string) {
  const signed = (content: string) => `${organizationId}/${content}`
  const purpose = 'signin sign-out'
  return {
    write({ clientId, returnTo, state }: KeptSignOut): string {
      const content = Buffer.from(JSON.stringify([clientId, returnTo, state])).toString('base64url')
      return `${content}.${secrets.sign(purpose, signed(content)).toString('base64url')}`
    },
    /** Undefined for any other text. */
    read(mark: string): KeptSignOut | undefined {
      const [content = '', signature = ''] = mark.split('.')
      if (!secrets.verify(purpose, signed(content), Buffer.from(signature, 'base64url'))) return undefined
      const written: unknown = JSON.parse(Buffer.from(content, 'base64url').toString('utf8'))
      const [clientId, returnTo, state] = written as [string, string | null, string | null]
      return { clientId, returnTo: returnTo ?? undefined, state: state ?? undefined }
    },
  }
}
