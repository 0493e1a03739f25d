import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import type { PublicEcJwk } from '../../base/db/schema.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { isBodyOf, isSigned, readSignature } from '../companion/signed-request.ts'
import { addCompanionKey } from '../companion-keys/add-companion-key.ts'
import { linkCompanion } from '../companion-keys/link-companion.ts'
import { sha256 } from './give-challenge.ts'
import { judgeProof } from './judge-proof.ts'
import { proofRefusals } from './proof-rules.ts'

type Vectors = {
  keys: { device_private_key: PublicEcJwk & { d: string }; kid: string }
  origin: string
  check_in: { nonce: string; body: string; claims: Record<string, unknown>; dpop: string }
  challenge: string
  challenge_issued_at: string
  proof: { payload: { nonce: string; sid: string }; jws: string }
  refused_proofs: { what: string; proof: string; seconds?: number; reason: string }[]
}

const file = new URL('../../../../docs/companion-protocol.md', import.meta.url)
const document = await readFile(file, 'utf8')
const vectors = JSON.parse(/^## Test vectors\n.*?```json\n(.*?)\n```/ms.exec(document)?.[1] ?? '') as Vectors
const { kty, crv, x, y } = vectors.keys.device_private_key
const database = testDatabase()
let place = { organizationId: '', deviceId: '' }

before(async () => {
  await database.ready
  const make = makeIn(database)
  const { id: organizationId } = await make.organization()
  const { id: deviceId } = await make.device(organizationId)
  const { kid } = vectors.keys
  const facts = { isBundled: false, hardwareUuid: null, serial: null, hostname: '', platform: '', agentVersion: '1' }
  await transact(database.db, async (tx) => {
    const now = vectors.challenge_issued_at
    await addCompanionKey(tx, { organizationId, kid, jwk: { kty, crv, x, y }, now }, facts)
    await linkCompanion(tx, { kid, deviceId }, systemChange(organizationId, now))
  })
  place = { organizationId, deviceId }
})

/** Judges a proof of which nothing was judged before, as long after its challenge. */
async function judge(proof: string, seconds = 0) {
  const { origin, challenge, challenge_issued_at: issuedAt } = vectors
  const { nonce, sid } = vectors.proof.payload
  const { organizationId } = place
  const row = { nonce_hash: sha256(nonce), challenge_hash: sha256(challenge), given_at: issuedAt }
  await database.db.deleteFrom('companion_challenges').execute()
  await database.db
    .insertInto('companion_challenges')
    .values({ organization_id: organizationId, sid, ...row })
    .execute()
  const asked = { organizationId, sid, origin, now: plusMs(issuedAt, seconds * 1000) }
  return transact(database.db, (tx) => judgeProof(tx, asked, proof))
}

test('the proof of the protocol document is accepted, and those beside it are refused for the reasons given there', async () => {
  const accepted = await judge(vectors.proof.jws)
  assert.deepEqual(accepted, {
    ...{ deviceId: place.deviceId, says: ' to a browser of user 1000', port: null },
    ...{ isToBrowser: true, people: 1, network: null },
  })
  assert.equal(vectors.refused_proofs.length, 12)
  for (const { what, proof, seconds, reason } of vectors.refused_proofs) {
    assert.deepEqual(await judge(proof, seconds), { refusal: reason }, what)
  }
})

test('the document names every reason, and each has a vector or a sentence', () => {
  const [, section = ''] = document.split('## Proof')
  const named = section.slice(0, section.indexOf('## Test vectors'))
  for (const reason of proofRefusals) assert.match(named, new RegExp(`\`${reason}\``))
})

test('the check-in of the document is signed by its key for its address and body', async () => {
  const { dpop, body, claims } = vectors.check_in
  const signature = await readSignature(dpop)
  assert.ok(signature)
  assert.deepEqual([signature.kid, signature.claims], [vectors.keys.kid, claims])
  const expected = { path: '/api/v1/companion/check_in', hosts: [new URL(vectors.origin).host] }
  assert.equal(await isSigned(signature, expected), true)
  assert.equal(isBodyOf(signature, Buffer.from(body)), true)
  assert.equal(isBodyOf(signature, Buffer.from(`${body} `)), false)
  assert.equal(await isSigned(signature, { ...expected, hosts: ['evil.example'] }), false)
  assert.equal(await isSigned(signature, { ...expected, path: '/api/v1/companion/enroll' }), false)
})
