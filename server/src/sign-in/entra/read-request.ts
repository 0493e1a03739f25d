import { isStorable } from '../../base/storable.ts'
import type { SignInConnection } from '../connections/connection-queries.ts'

/** A request of Microsoft Entra, as far as it says anything to us. */
export type EntraAsked = {
  redirectUri: string
  nonce: string
  state: string | null
  hint: string
  /** Which values of `acr` and `amr` the answer may have; none where the request does not say so in a form that can be read. */
  acrValues: string[]
  amrValues: string[]
  /** `client-request-id`, by which Microsoft's support finds the request. */
  requestId: string | null
}

const longest = { nonce: 2_000, state: 20_000, hint: 20_000 }
const names = [
  ...['response_type', 'response_mode', 'scope', 'client_id', 'redirect_uri', 'nonce', 'state', 'id_token_hint'],
  ...['claims', 'client-request-id'],
]

/**
 * Reads the form of an authorization request (OpenID Connect Core §3.2.2.1, §5.5), and ignores what it does not know.
 * Undefined for a request that is not Entra's to this connection: then no address in it is to be trusted.
 */
export function readRequest(form: URLSearchParams, connection: SignInConnection): EntraAsked | undefined {
  // RFC 6749 §3.1: no parameter twice.
  if (names.some((name) => form.getAll(name).length > 1)) return undefined
  if (!names.every((name) => isStorable(form.get(name) ?? ''))) return undefined
  const given = (name: string): string => form.get(name) ?? ''
  const [nonce, state, hint, redirectUri] = [
    given('nonce'),
    form.get('state'),
    given('id_token_hint'),
    given('redirect_uri'),
  ]
  const isForUs =
    given('response_type') === 'id_token' &&
    given('response_mode') === 'form_post' &&
    given('scope').split(' ').includes('openid') &&
    given('client_id') === connection.client_id &&
    connection.redirect_uris.includes(redirectUri)
  const isSized = nonce.length <= longest.nonce && (state ?? '').length <= longest.state && hint.length <= longest.hint
  if (!isForUs || !isSized || nonce === '' || hint === '') return undefined
  const requestId = /^[\w-]{1,64}$/.exec(given('client-request-id'))?.[0] ?? null
  return { redirectUri, nonce, state, hint, ...readClaims(given('claims')), requestId }
}

function readClaims(text: string): Pick<EntraAsked, 'acrValues' | 'amrValues'> {
  try {
    const { id_token: wanted } = Object(JSON.parse(text)) as { id_token?: unknown }
    const { acr, amr } = Object(wanted) as { acr?: unknown; amr?: unknown }
    return { acrValues: valuesOf(acr), amrValues: valuesOf(amr) }
  } catch {
    return { acrValues: [], amrValues: [] }
  }
}

/** The values that a claim may have (OpenID Connect Core §5.5.1). */
function valuesOf(claim: unknown): string[] {
  const { value, values } = Object(claim) as { value?: unknown; values?: unknown }
  const all = Array.isArray(values) ? values : [value]
  return all.filter((one) => typeof one === 'string').slice(0, 50)
}
