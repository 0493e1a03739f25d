import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { calculateJwkThumbprint, importJWK, type JWK, jwtVerify } from 'jose'
import { publicHalf } from './companion-state.ts'
import { prover } from './prove.ts'
import { vouchFor } from './vouch-for.ts'

type Vectors = {
  device_private_key: JWK
  kid: string
  challenge_key: JWK
  organization: string
  origin: string
  server_time: string
  epoch: string
  challenge: string
  proof_header: Record<string, unknown>
  proof: Record<string, unknown>
  new_kid: string
  statement: Record<string, unknown>
  replaces: string
}

async function readVectors(): Promise<Vectors> {
  const document = await readFile(new URL('../../../docs/companion-protocol.md', import.meta.url), 'utf8')
  return JSON.parse(/```json\n(.*?)\n```/s.exec(document)?.[1] ?? '') as Vectors
}

test('the test vectors of the protocol document are what this companion makes', async () => {
  const vectors = await readVectors()
  const { device_private_key: privateJwk, kid, organization, origin, epoch, challenge } = vectors
  assert.equal(await calculateJwkThumbprint(privateJwk), kid)
  const offsetMs = Date.parse(vectors.server_time) - Date.now()
  const trust = { organization, origin, challengeKeys: [vectors.challenge_key], ports: [], offsetMs, epoch }
  const user = { uid: 1000, name: 'ana' }
  const state = { server: origin, kid, privateJwk, trust }
  const prove = prover()
  const proof = (await prove(state, { challenge, via: 'fetch', user })) ?? ''
  const publicKey = await importJWK(publicHalf(privateJwk), 'ES256')
  const { payload, protectedHeader } = await jwtVerify(proof, publicKey)
  const { iat, agent_version: version, ...said } = payload
  assert.deepEqual([said, protectedHeader], [vectors.proof, vectors.proof_header])
  assert.ok(typeof iat === 'number' && typeof version === 'string')
  assert.equal(await prove(state, { challenge, via: 'fetch', user }), undefined)
  const late = { ...state, trust: { ...trust, offsetMs: offsetMs + 26 * 3_600_000 } }
  assert.equal(await prover()(late, { challenge, via: 'fetch', user }), undefined)
})

test('so is what a key signs for the one that takes its place', async () => {
  const { device_private_key: privateJwk, kid, origin, new_kid: newKid, statement, replaces } = await readVectors()
  const publicKey = await importJWK(publicHalf(privateJwk), 'ES256')
  const options = { currentDate: new Date(Number(statement['iat']) * 1000) }
  const documented = await jwtVerify(replaces, publicKey, options)
  assert.deepEqual(documented.payload, statement)
  const made = await vouchFor({ server: origin, kid, privateJwk, trust: undefined }, newKid)
  const { payload, protectedHeader } = await jwtVerify(made, publicKey)
  assert.deepEqual([{ ...payload, iat: statement['iat'] }, protectedHeader], [statement, documented.protectedHeader])
})
