import { randomBytes } from 'node:crypto'
import { CompactSign, calculateJwkThumbprint, exportJWK, type GenerateKeyPairResult, generateKeyPair } from 'jose'

export type ContactAnswer = {
  kid: string
  status: string
  origin: string
  ports: number[]
  challenge_keys: { keys: { kid: string }[] }
  epoch: string
  link: { name: string } | null
  queries: { name: string; sql: string }[]
  next_contact_seconds: number
  error?: { code: string }
}

type Answer = { status: number; body: ContactAnswer }
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
  let nowSeconds = 0

  async function sign(path: string, fields: Fields, header: Fields = {}): Promise<string> {
    const aud = `${origin}/api/v1/companion/${path}`
    const payload = { iss: kid, aud, iat: nowSeconds, jti: randomBytes(16).toString('base64url'), ...fields }
    const named = path === 'enroll' ? { jwk } : { kid }
    return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'ES256', typ: 'muster-companion+jwt', ...named, ...header })
      .sign(keys.privateKey)
  }

  async function post(path: string, request: unknown): Promise<Answer> {
    const response = await fetch(`${origin}/api/v1/companion/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request }),
    })
    const body = (await response.json()) as ContactAnswer
    if (body.epoch) epoch = body.epoch
    return { status: response.status, body }
  }

  /** What this key signs for another one that takes its place. */
  async function vouchFor(newKid: string, changed: Fields = {}, header: Fields = {}): Promise<string> {
    const statement = { iss: kid, sub: newKid, aud: `${origin}/api/v1/companion/enroll`, iat: nowSeconds, ...changed }
    return new CompactSign(new TextEncoder().encode(JSON.stringify(statement)))
      .setProtectedHeader({ alg: 'ES256', typ: 'muster-companion-key+jwt', kid, ...header })
      .sign(keys.privateKey)
  }

  const call = async (path: string, fields: Fields, header?: Fields) => post(path, await sign(path, fields, header))

  return {
    keys,
    kid,
    sign,
    vouchFor,
    post,
    call,
    epoch: () => epoch,
    /** Takes an epoch over, as a copied state folder does. */
    holdEpoch: (value: string | null) => {
      epoch = value
    },
    setTime: (now: string) => {
      nowSeconds = Math.floor(Date.parse(now) / 1000)
    },
    enroll: (secret: string, fields: Fields = {}) =>
      call('enroll', { enroll_secret: secret, ...companionMachine, ...fields }),
    contact: (fields: Fields = {}) =>
      call('contact', { agent_version: '1.0.0', port: 15_861, wait_seconds: 0, epoch, ...fields }),
    results: (results: unknown[]) => call('results', { results }),
  }
}
