import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export type SigningKey = Parameters<SignJWT['sign']>[0]
type Answer = (response: ServerResponse, request: IncomingMessage) => void

export const json =
  (body: unknown, status = 200) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

/**
 * An OpenID provider on this machine that answers each of its endpoints as a test says, and a second server, on which any
 * request is a defect.
 */
export async function startHostileProvider() {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const endpoints = new Map<string, Answer>()
  const asked: string[] = []
  let inward = 0
  const inside = createServer((_request, response) => {
    inward += 1
    response.end('{}')
  }).listen(0, '127.0.0.1')
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    asked.push(path)
    request.resume().on('error', () => {})
    response.on('error', () => {})
    const answer = endpoints.get(path)
    if (answer) answer(response, request)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await Promise.all([once(inside, 'listening'), once(server, 'listening')])
  const originOf = (one: typeof server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`
  const issuer = originOf(server)
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/me`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
  }

  return {
    issuer,
    metadata,
    jwk,
    keys,
    endpoints,
    asked,
    insideOrigin: originOf(inside),
    inward: () => inward,
    /** Everything as an honest provider has it. */
    reset(): void {
      asked.length = 0
      inward = 0
      endpoints.clear()
      endpoints.set('/.well-known/openid-configuration', json(metadata))
      endpoints.set('/jwks', json({ keys: [jwk] }))
      endpoints.set('/me', json({ sub: 'maya', email: 'maya@acme.example', email_verified: true }))
    },
    /** An ID token about Maya for `nonce`, but for what is given. */
    sign(
      claims: Record<string, unknown>,
      header: Record<string, unknown> = {},
      key: SigningKey = keys.privateKey,
    ): Promise<string> {
      const seconds = Math.floor(performance.timeOrigin / 1_000 + performance.now() / 1_000)
      const good = { iss: issuer, sub: 'maya', aud: 'muster', iat: seconds, exp: seconds + 300 }
      return new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key)
    },
    async stop(): Promise<void> {
      for (const one of [server, inside]) {
        one.closeAllConnections()
        one.close()
      }
      await Promise.all([once(server, 'close'), once(inside, 'close')])
    },
  }
}
