import { entraAddresses } from '../../sign-in/connections/entra-rules.ts'
import { issuerPath } from '../../sign-in/connections/sign-in-address.ts'

/** What a caller is set up with. */
export type GivenConnection = {
  id: string
  kind: 'second_step' | 'application' | 'entra'
  name: string
  mode: 'enforce' | 'observe'
  issuer: string
  discovery_url: string
  client_id: string
  /** Null where there is none. */
  client_secret: string | null
  /** Of Microsoft Entra: the reply URL of the app registration. */
  authorization_endpoint?: string
  redirect_uris: string[]
  /** What each request has to be; null where requests need no signature. */
  requests: { algorithm: string; claims: string[]; audience: string; code_challenge_method: 'S256' } | null
  /** Of a client of ours: whether each request has to come with PKCE; else it needs a nonce. */
  requires_pkce?: boolean
  /** Where it leads people back to when it signs them out. */
  post_logout_redirect_uris?: string[]
}

type Made = { id: string; clientId: string; clientSecret?: string | undefined }
type Client = {
  kind: 'second_step' | 'application'
  name: string
  mode: GivenConnection['mode']
  redirectUris: string[]
  requiresPkce: boolean
  postLogoutRedirectUris?: string[]
  /** Undefined where its requests are not signed. */
  algorithm: string | undefined
}

export function givenClient(address: string, made: Made, { algorithm, ...client }: Client): GivenConnection {
  const issuer = `${address}${issuerPath}`
  const named = client.kind === 'second_step' ? ['login_hint'] : []
  const claims = ['iss', 'aud', 'iat or exp', ...named]
  return {
    ...{ id: made.id, kind: client.kind, name: client.name, mode: client.mode, issuer },
    discovery_url: `${issuer}/.well-known/openid-configuration`,
    ...{ client_id: made.clientId, client_secret: made.clientSecret ?? null, redirect_uris: client.redirectUris },
    requests: algorithm === undefined ? null : { algorithm, claims, audience: issuer, code_challenge_method: 'S256' },
    requires_pkce: client.requiresPkce,
    post_logout_redirect_uris: client.postLogoutRedirectUris ?? [],
  }
}

type EntraClient = Pick<GivenConnection, 'name' | 'mode'>

export function givenEntra(address: string, { id, clientId }: Made, { name, mode }: EntraClient): GivenConnection {
  const { issuer, discoveryUrl, authorizationEndpoint } = entraAddresses(address, id)
  return {
    ...{ id, kind: 'entra', name, mode, issuer, discovery_url: discoveryUrl, client_id: clientId, client_secret: null },
    ...{ authorization_endpoint: authorizationEndpoint, redirect_uris: [], requests: null },
  }
}

/** The same for a person to copy, by name. */
export function fieldsOfGiven(given: GivenConnection): [string, string][] {
  const head: [string, string][] = [
    ['Connection', given.id],
    ['Mode', given.mode],
    ['Issuer', given.issuer],
    ['Discovery endpoint', given.discovery_url],
    ['Client ID', given.client_id],
  ]
  if (given.authorization_endpoint !== undefined) return [...head, ['Reply URL', given.authorization_endpoint]]
  const { requests } = given
  const proof = given.requires_pkce === false ? 'PKCE S256, or a nonce' : 'PKCE S256'
  const claims = requests ? `${wordsOf(given, requests.claims)}, ` : ''
  return [
    ...head,
    ['Client secret', given.client_secret ?? 'none: a public client'],
    ...given.redirect_uris.map((uri): [string, string] => ['Redirect URI', uri]),
    ...(given.post_logout_redirect_uris ?? []).map((uri): [string, string] => ['Post-logout redirect URI', uri]),
    ['Request algorithm', requests?.algorithm ?? 'none: requests need no signature'],
    ['Each request', `${claims}${proof}`],
  ]
}

const wordsOf = ({ issuer }: GivenConnection, claims: readonly string[]): string =>
  claims
    .map((claim) => (claim === 'iss' ? 'iss = the client ID' : claim === 'aud' ? `aud = ${issuer}` : claim))
    .join(', ')
