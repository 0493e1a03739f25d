import { createHash, randomBytes } from 'node:crypto'
import { createLocalJWKSet, importJWK, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Dispatcher } from 'undici'
import type { SignInSetup } from './sign-in-setup.ts'
import type { SignInSteps } from './sign-in-steps.ts'

type Parts = { dispatcher: Dispatcher; steps: SignInSteps }

export type RelyingParty = Awaited<ReturnType<typeof relyingParty>>
export type Attempt = { path: string; state: string; nonce: string; verifier: string }

/** An application whose identity provider has signed the person in, and signs the request that says so (RFC 9101). */
export async function relyingParty(setup: SignInSetup, { dispatcher, steps }: Parts) {
  const { issuer, clientId, clientSecret, redirectUri } = setup
  const { origin, pathname } = new URL(issuer)
  const key = await importJWK(setup.requestKey, 'RS256')
  const keys = createLocalJWKSet(JSON.parse(await ask('GET', '/jwks')) as JSONWebKeySet)

  async function ask(method: 'GET' | 'POST', path: string, form?: URLSearchParams): Promise<string> {
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const { statusCode, body } = await dispatcher.request({
      ...{ origin, path: `${pathname}${path}`, method },
      ...(form && {
        body: form.toString(),
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      }),
    })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${path.slice(1)} answered ${statusCode}: ${text.slice(0, 200)}`)
    return text
  }

  /** A request for this person to sign in, with the address where their browser goes. */
  async function begin(email: string): Promise<Attempt> {
    const [state, nonce, verifier] = [randomText(), randomText(), randomText()]
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const asked = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid' }
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    const request = await new SignJWT({ ...asked, ...pkce, state, nonce, login_hint: email })
      .setProtectedHeader({ alg: 'RS256', kid: setup.requestKey.kid ?? '', typ: 'oauth-authz-req+jwt' })
      .setIssuer(clientId)
      .setAudience(issuer)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key)
    const path = `${pathname}/auth?${new URLSearchParams({ client_id: clientId, request })}`
    return { path, state, nonce, verifier }
  }

  /** What the ID token says that a callback leads to; fails when any of it is not as it has to be. */
  async function redeem(callback: URL, { state, nonce, verifier }: Attempt): Promise<JWTPayload> {
    if (callback.searchParams.get('state') !== state) throw new Error('the callback has another state')
    const code = callback.searchParams.get('code')
    if (code === null) throw new Error(`the callback has no code: ${callback.searchParams.get('error')}`)
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
    const text = await steps.time('token', () => ask('POST', '/token', new URLSearchParams(form)))
    const { id_token: token } = JSON.parse(text) as { id_token: string }
    const { payload } = await jwtVerify(token, keys, { issuer, audience: clientId, clockTolerance: 5 })
    if (payload['nonce'] !== nonce) throw new Error('the ID token has another nonce')
    return payload
  }

  return { begin, redeem }
}

const randomText = (): string => randomBytes(32).toString('base64url')
