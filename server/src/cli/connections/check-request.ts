import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload } from 'jose'
import type { SignInConnection } from '../../sign-in/connections/connection-queries.ts'
import { faultOfTimes } from '../../sign-in/oidc/request-rules.ts'

export type RequestQuestion = { text: string; connection: SignInConnection; issuer: string; now: string }

/** What is in a signed request (RFC 9101), whoever has signed it; undefined of any other text. */
export function claimsOfRequest(text: string): JWTPayload | undefined {
  try {
    decodeProtectedHeader(text)
    return decodeJwt(text)
  } catch {
    return undefined
  }
}

/** Everything that a caller has to change in a signed request, without a word that stands in it. */
export async function faultsOfRequest(question: RequestQuestion, claims: JWTPayload): Promise<string[]> {
  const times = faultOfTimes(claims, Date.parse(question.now))
  return [
    ...(await faultsOfSignature(question)),
    ...(times === undefined ? [] : [times.text]),
    ...faultsOfClaims(question, claims),
  ]
}

async function faultsOfSignature({ text, connection }: RequestQuestion): Promise<string[]> {
  const { request_keys: keys, request_algorithm: algorithm } = connection
  const { alg, kid } = decodeProtectedHeader(text)
  if (!keys || algorithm === null) return ['its signature cannot be checked: the connection has no keys']
  if (alg !== algorithm) return [`alg of its header must be ${algorithm}`]
  const named = keys.filter((key) => kid === undefined || key['kid'] === kid)
  const kids = keys.map((key) => key['kid'] ?? 'one without kid').join(', ')
  if (named.length === 0) return [`kid of its header must be that of a key of the connection: ${kids}`]
  for (const key of named) {
    try {
      await compactVerify(text, await importJWK(key, algorithm), { algorithms: [algorithm] })
      return []
    } catch {
      // The next one may be its key.
    }
  }
  return [`its signature is of no key of the connection: sign with the private half of one of ${kids}`]
}

function faultsOfClaims({ connection, issuer }: RequestQuestion, claims: JWTPayload): string[] {
  const { client_id: clientId, redirect_uris: redirectUris, kind } = connection
  const isProved = claims['code_challenge_method'] === 'S256' && /^[\w-]{43}$/.test(textOf(claims['code_challenge']))
  const rules: [isMet: boolean, fault: string][] = [
    [claims.iss === clientId, `iss must be the client ID, ${clientId}`],
    [claims['client_id'] === clientId, `client_id must be ${clientId}`],
    [[claims.aud].flat().includes(issuer), `aud must contain the issuer, ${issuer}`],
    [claims['response_type'] === 'code', 'response_type must be code'],
    [textOf(claims['scope']).split(' ').includes('openid'), 'scope must contain openid'],
    [redirectUris.includes(textOf(claims['redirect_uri'])), `redirect_uri must be one of ${redirectUris.join(', ')}`],
    [
      kind !== 'second_step' || textOf(claims['login_hint']) !== '',
      'login_hint must be the e-mail address of the person',
    ],
    [
      isProved,
      'code_challenge_method must be S256, and code_challenge the SHA-256 of the verifier in base64url (RFC 7636)',
    ],
  ]
  return rules.flatMap(([isMet, fault]) => (isMet ? [] : [fault]))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
