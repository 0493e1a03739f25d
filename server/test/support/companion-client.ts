import { createHash, randomBytes } from 'node:crypto'
import { CompactSign, calculateJwkThumbprint, exportJWK, type GenerateKeyPairResult, generateKeyPair } from 'jose'

export type CheckInAnswer = {
  kid: string
  status: string
  origin: string
  ports: number[]
  challenge_keys: { keys: { kid: string }[] }
  epoch: string
  link: { by: string; name?: string } | null
  queries: { name: string; sql: string }[]
  next_check_in_seconds: number
  error?: { code: string }
}

type Answer = { status: number; body: CheckInAnswer; nonce: string | null; asksForNonce: boolean }
export type CompanionKeys = GenerateKeyPairResult
type Fields = Record<string, unknown>

export const companionMachine = {
  hardware_uuid: '0a7f3b6c-8f6e-4f0d-9a52-61f0a2c1d3e4',
  hardware_serial: 'PF-C0MP4N10',
  hostname: 'ana-x1',
  platform: 'linux',
  agent_version: '1.0.0',
  is_bundled: false,
}

/** A companion with a key of its own; or with a copy of another one's key. */
export async function companionClient(origin: string, copied?: CompanionKeys) {
  const keys = copied ?? (await generateKeyPair('ES256', { extractable: true }))
  const jwk = await exportJWK(keys.publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  let epoch: string | null = null
  let nonce: string | null = null

  const addressOf = (path: string): string => `${origin}/api/v1/companion/${path}`

  /** The `DPoP` header of a request, with what a test changes. */
  async function sign(path: string, body: string, claims: Fields = {}, header: Fields = {}): Promise<string> {
    const payload = {
      ...{ htm: 'POST', htu: addressOf(path), jti: randomBytes(16).toString('base64url'), nonce },
      body_hash: createHash('sha256').update(body).digest('base64url'),
      ...claims,
    }
    return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
      .sign(keys.privateKey)
  }

  async function post(path: string, body: string, signature?: string): Promise<Answer> {
    const response = await fetch(addressOf(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(signature !== undefined && { dpop: signature }) },
      body,
    })
    const answer = (await response.json()) as CheckInAnswer
    if (answer.epoch) epoch = answer.epoch
    const { status, headers } = response
    const asksForNonce = headers.get('www-authenticate') === 'DPoP error="use_dpop_nonce"'
    return { status, body: answer, nonce: headers.get('dpop-nonce'), asksForNonce }
  }

  /** Sends a request, once more with the nonce of the answer where the server asks for another one. */
  async function call(path: string, fields: Fields): Promise<Answer> {
    const body = JSON.stringify(fields)
    const first = await post(path, body, await sign(path, body))
    nonce = first.nonce ?? nonce
    if (first.body.error?.code !== 'use_dpop_nonce') return first
    const second = await post(path, body, await sign(path, body))
    nonce = second.nonce ?? nonce
    return second
  }

  /** What this key signs for another one that takes its place. */
  async function vouchFor(newKid: string, changed: Fields = {}, header: Fields = {}): Promise<string> {
    const statement = { iss: kid, sub: newKid, aud: addressOf('enroll'), iat: 1_795_000_000, ...changed }
    return new CompactSign(new TextEncoder().encode(JSON.stringify(statement)))
      .setProtectedHeader({ alg: 'ES256', typ: 'muster-companion-key+jwt', kid, ...header })
      .sign(keys.privateKey)
  }

  return {
    keys,
    kid,
    sign,
    vouchFor,
    post,
    call,
    epoch: () => epoch,
    nonce: () => nonce,
    /** Takes an epoch over, as a copied state folder does. */
    holdEpoch: (value: string | null) => {
      epoch = value
    },
    enroll: (secret: string, fields: Fields = {}) =>
      call('enroll', { enroll_secret: secret, ...companionMachine, ...fields }),
    checkIn: (fields: Fields = {}) =>
      call('check_in', { agent_version: '1.0.0', port: 15_861, taken_ports: [], wait_seconds: 0, epoch, ...fields }),
    results: (results: unknown[]) => call('results', { results }),
  }
}
