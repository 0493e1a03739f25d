import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import {
  CompactSign,
  calculateJwkThumbprint,
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  SignJWT,
} from 'jose'
import { systemClock } from '../../src/base/clock.ts'
import { plusMs } from '../../src/base/time.ts'
import { baseUrl } from './app.ts'

export type Reply = { status: number; headers: Record<string, string | undefined>; text: string }

/** Without those that a test leaves out. */
const sent = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>

/** A browser as far as signing in needs one: it keeps cookies and follows nothing by itself. */
export function signInBrowser(app: Pick<FastifyInstance, 'inject'>, origin = baseUrl, remoteAddress = '127.0.0.1') {
  const cookies = new Map<string, string>()

  async function go(path: string, options: { method?: 'GET' | 'POST'; body?: unknown; headers?: object } = {}) {
    const { method = 'GET', body, headers } = options
    const url = path.startsWith('http') ? path.slice(new URL(path).origin.length) : path
    const response = await app.inject({
      method,
      url,
      remoteAddress,
      headers: sent({
        host: new URL(origin).host,
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        ...(method === 'POST' && { origin }),
        ...headers,
      }),
      ...(body !== undefined && { payload: body as object }),
    })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split('=', 2)
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return { status: response.statusCode, headers: response.headers, text: response.payload } as Reply
  }

  /** Goes on along redirects of this host; returns the last answer, and the address that leads elsewhere. */
  async function follow(path: string): Promise<{ reply: Reply; path: string; away?: string }> {
    let at = path
    for (let hops = 0; hops < 12; hops += 1) {
      const reply = await go(at)
      const { location } = reply.headers
      if (location === undefined) return { reply, path: at }
      const target = new URL(location, origin)
      if (target.origin !== origin) return { reply, path: at, away: target.href }
      at = target.pathname + target.search
    }
    throw new Error(`Redirected on and on from ${path}`)
  }

  return { go, follow, cookies }
}

/** An application that signs its requests, as an identity provider does, by a clock of its own that is `aheadMs` ahead of ours. */
export async function relyingParty({ issuer = baseUrl, now = systemClock, aheadMs = 1_300 } = {}) {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'rp', alg: 'RS256', use: 'sig' } as unknown as Record<
    string,
    string
  >
  const clock = () => plusMs(now(), aheadMs)
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const redirectUri = 'https://app.example/callback'

  function plainRequest(clientId: string, more: Record<string, string> = {}): Record<string, string> {
    return {
      ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid', state: 's1' },
      ...{ nonce: randomBytes(8).toString('hex'), code_challenge: challenge, code_challenge_method: 'S256' },
      ...more,
    }
  }

  async function signedRequest(clientId: string, more: Record<string, string> = {}, key = keys.privateKey) {
    const request = await new SignJWT(plainRequest(clientId, more))
      .setProtectedHeader({ alg: 'RS256', kid: 'rp', typ: 'oauth-authz-req+jwt' })
      .setIssuer(clientId)
      .setAudience(`${issuer}/signin/oidc`)
      .setIssuedAt(new Date(clock()))
      .setNotBefore(new Date(clock()))
      .setJti(randomUUID())
      .sign(key)
    return { client_id: clientId, request }
  }

  const addressOf = (parameters: Record<string, string>) => `/signin/oidc/auth?${new URLSearchParams(parameters)}`

  return { keys, jwk, redirectUri, verifier, plainRequest, signedRequest, addressOf }
}

/** A device that proves itself as its companion does. */
export async function provingDevice(copied?: GenerateKeyPairResult) {
  const keys = copied ?? (await generateKeyPair('ES256', { extractable: true }))
  const jwk = await exportJWK(keys.publicKey)
  const kid = await calculateJwkThumbprint(jwk)

  async function prove(challenge: string, epoch: string, more: object = {}, header: object = {}): Promise<string> {
    const asked = JSON.parse(Buffer.from(challenge.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      string
    >
    const hash = createHash('sha256').update(challenge).digest('base64url')
    const proof = { nonce: asked['jti'], sid: asked['sid'], aud: asked['origin'], via: 'fetch', challenge_hash: hash }
    return new CompactSign(new TextEncoder().encode(JSON.stringify({ ...proof, epoch, ...more })))
      .setProtectedHeader({ alg: 'ES256', typ: 'muster-proof+jwt', kid, ...header })
      .sign(keys.privateKey)
  }

  return { keys, jwk, kid, prove }
}
