import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

type Pair = Awaited<ReturnType<typeof generateKeyPair>>

export type KeySite = {
  readonly jwksUri: string
  /** How often the keys were fetched. */
  fetches(): number
  /** Signs with the latest key, published or not. */
  sign(claims: JWTPayload, header?: { typ?: string }): Promise<string>
  /** Makes another key, which is published unless told otherwise. */
  rotate(isPublished?: boolean): Promise<void>
  /** Answers 503 until it is called again. */
  setBroken(isBroken: boolean): void
  close(): Promise<void>
}

/** A transmitter's keys on loopback, and tokens that jose signs with them. */
export async function openKeySite(): Promise<KeySite> {
  const published: object[] = []
  let signing: { kid: string; privateKey: Pair['privateKey'] }
  let made = 0
  let fetches = 0
  let isBroken = false
  async function rotate(isPublished = true): Promise<void> {
    made += 1
    const kid = `key-${made}`
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    if (isPublished) published.push({ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' })
    signing = { kid, privateKey }
  }
  await rotate()
  const server = createServer((_request, response) => {
    fetches += 1
    response.writeHead(isBroken ? 503 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ keys: published }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    jwksUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    fetches: () => fetches,
    sign: (claims, { typ = 'secevent+jwt' } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: signing.kid, typ }).sign(signing.privateKey),
    rotate,
    setBroken: (is) => {
      isBroken = is
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
