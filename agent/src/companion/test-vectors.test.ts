import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import { publicHalf } from './companion-state.ts'
import { vouchFor } from './open-state.ts'
import { prover } from './prove.ts'
import { signRequest } from './signed-requests.ts'

type Claims = Record<string, unknown>
type Vectors = {
  keys: { device_private_key: JWK; kid: string; challenge_key: JWK }
  organization: string
  origin: string
  epoch: string
  check_in: { nonce: string; body: string; claims: Claims; dpop: string }
  challenge: string
  proof: { payload: Claims; jws: string }
  refused_challenges: { what: string; challenge: string; reason: string }[]
  replaces: { new_kid: string; statement: Claims; jws: string }
}

const document = await readFile(new URL('../../../docs/companion-protocol.md', import.meta.url), 'utf8')
const vectors = JSON.parse(/^## Test vectors\n.*?```json\n(.*?)\n```/ms.exec(document)?.[1] ?? '') as Vectors
const { origin, organization, epoch, challenge, keys } = vectors
const { device_private_key: privateJwk, kid } = keys
const trust = { organization, origin, challengeKeys: [keys.challenge_key], ports: [], epoch }
const state = { server: origin, kid, privateJwk, trust }
const publicKey = await importJWK(publicHalf(privateJwk), 'ES256')
const firefox = { peer: async () => ({ uid: 1000, program: 'firefox' }), people: async () => 1 }

test('the key of the protocol document has its thumbprint', async () => {
  assert.equal(await calculateJwkThumbprint(privateJwk), kid)
})

test('a check-in is signed as the document has it', async () => {
  const { nonce, body, claims, dpop } = vectors.check_in
  const made = await signRequest(state, { operation: 'check_in', body, nonce })
  const { payload, protectedHeader } = await jwtVerify(made, publicKey)
  assert.deepEqual({ ...payload, iat: claims['iat'], jti: claims['jti'] }, claims)
  assert.ok(typeof payload.jti === 'string' && payload.jti.length >= 22, '128 bits')
  assert.deepEqual(protectedHeader, decodeProtectedHeader(dpop))
  await compactVerify(dpop, publicKey)
  assert.equal(createHash('sha256').update(body).digest('base64url'), claims['body_hash'])
  const first = await signRequest(state, { operation: 'check_in', body, nonce: undefined })
  assert.equal('nonce' in (await jwtVerify(first, publicKey)).payload, false)
})

test('a proof is what the document has, and those challenges are refused for the reasons given there', async () => {
  const prove = prover()
  const answer = await prove(state, { challenge, via: 'fetch', ...firefox })
  assert.ok('proof' in answer)
  const { payload, protectedHeader } = await jwtVerify(answer.proof, publicKey)
  const { payload: documented, jws } = vectors.proof
  const varying = { iat: documented['iat'], agent_version: documented['agent_version'] }
  assert.deepEqual({ ...payload, ...varying }, documented)
  assert.deepEqual(protectedHeader, decodeProtectedHeader(jws))
  await compactVerify(jws, publicKey)
  assert.ok(answer.proof.length <= 2_048)
  for (const { what, challenge: refused, reason } of vectors.refused_challenges) {
    assert.deepEqual(await prove(state, { challenge: refused, via: 'fetch', ...firefox }), { refused: reason }, what)
  }
})

test('the document names every reason for which a challenge is refused, each with a vector', () => {
  const [, section = ''] = document.split('## Challenge')
  const named = [
    ...section
      .slice(0, section.indexOf('## Proof'))
      .matchAll(/^\| `(\w+)` \| (?!the pinned|`urn|the nonce|the sign-in)/gm),
  ]
  const reasons = new Set(vectors.refused_challenges.map(({ reason }) => reason))
  assert.deepEqual([...reasons].toSorted(), named.map(([, reason]) => reason ?? '').toSorted())
})

test('a challenge is proved once, and one that is refused has nobody looked for', async () => {
  let looks = 0
  let unknownKeys = 0
  const prove = prover(() => {
    unknownKeys += 1
  })
  const peer = async () => {
    looks += 1
    return null
  }
  const input = { challenge, via: 'fetch' as const, peer, people: async () => null }
  assert.equal('proof' in (await prove(state, input)), true)
  assert.deepEqual(await prove(state, input), { refused: 'seen' })
  const without = { ...state, trust: { ...trust, challengeKeys: [] } }
  assert.deepEqual(await prove(without, input), { refused: 'unknown_key' })
  assert.deepEqual([looks, unknownKeys], [1, 1])
})

test('what a key signs for the one that takes its place is as the document has it', async () => {
  const { new_kid: newKid, statement, jws } = vectors.replaces
  const options = { currentDate: new Date(Number(statement['iat']) * 1000) }
  const documented = await jwtVerify(jws, publicKey, options)
  assert.deepEqual(documented.payload, statement)
  const made = await vouchFor({ server: origin, kid, privateJwk, trust: undefined }, newKid)
  const { payload, protectedHeader } = await jwtVerify(made, publicKey)
  assert.deepEqual([{ ...payload, iat: statement['iat'] }, protectedHeader], [statement, documented.protectedHeader])
})
