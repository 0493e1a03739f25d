import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { UnsecuredJWT } from 'jose'
import { type KeySite, openKeySite } from '../../../test/support/key-site.ts'
import { setVerifier } from './verify-set.ts'

const issuer = 'https://trust.example.test'
const audience = 'https://receiver.example.test/events'
const claims = {
  iss: issuer,
  aud: audience,
  iat: 1_784_000_005,
  jti: 'token-1',
  events: { 'https://schemas.openid.net/secevent/ssf/event-type/verification': { state: 'x' } },
}

let site: KeySite
before(async () => {
  site = await openKeySite()
})
after(() => site.close())

const verifier = () => setVerifier({ issuer, audience, jwksUri: site.jwksUri })
const faultOf = async (token: string, verify = verifier()) => {
  const verdict = await verify(token)
  return verdict.kind === 'refused' ? verdict.err : verdict.kind
}

test('a token of the transmitter is verified by keys that are fetched once', async () => {
  const [verify, fetched] = [verifier(), site.fetches()]
  assert.deepEqual(await verify(await site.sign(claims)), { kind: 'valid', claims })
  assert.equal((await verify(await site.sign({ ...claims, aud: ['other', audience] }))).kind, 'valid')
  assert.equal(site.fetches() - fetched, 1)
})

test('what is wrong with a token is told in the words of RFC 8935', async () => {
  const signed = await site.sign(claims)
  const [head, body, signature] = signed.split('.')
  const tampered = Buffer.from(JSON.stringify({ ...claims, jti: 'token-2' })).toString('base64url')
  const cases: [string, string][] = [
    ['', 'invalid_request'],
    ['not a token', 'invalid_request'],
    [`${head}.${body}`, 'invalid_request'],
    [`${head}.${tampered}.${signature}`, 'invalid_key'],
    [new UnsecuredJWT(claims).encode(), 'invalid_key'],
    [await site.sign({ ...claims, iss: 'https://other.example.test' }), 'invalid_issuer'],
    [await site.sign({ ...claims, aud: 'https://other.example.test' }), 'invalid_audience'],
    [await site.sign(claims, { typ: 'JWT' }), 'invalid_request'],
    [await site.sign({ ...claims, exp: 1_000 }), 'invalid_request'],
    [await site.sign({ iss: issuer, aud: audience, iat: 1, events: claims.events }), 'invalid_request'],
    [await site.sign({ ...claims, events: {} }), 'invalid_request'],
    [await site.sign({ ...claims, events: { type: 'no object' } }), 'invalid_request'],
  ]
  for (const [token, err] of cases) assert.equal(await faultOf(token), err, token)
})

test('a key that was published meanwhile is fetched, and one that is nowhere is refused', async () => {
  const eager = setVerifier({ issuer, audience, jwksUri: site.jwksUri, cooldownMs: 0 })
  assert.equal(await faultOf(await site.sign(claims), eager), 'valid')
  await site.rotate()
  const token = await site.sign(claims)
  assert.equal(await faultOf(token, eager), 'valid')
  await site.rotate(false)
  const stranger = await site.sign(claims)
  assert.equal(await faultOf(stranger, eager), 'invalid_key')
  const patient = setVerifier({ issuer, audience, jwksUri: site.jwksUri, cooldownMs: 3_600_000 })
  assert.equal(await faultOf(token, patient), 'valid')
  // A look was just taken: the key may be there at the next look.
  assert.equal(await faultOf(stranger, patient), 'unavailable')
  await site.rotate()
})

test('a transmitter whose keys cannot be had condemns no token', async () => {
  const token = await site.sign(claims)
  const verify = verifier()
  site.setBroken(true)
  assert.equal(await faultOf(token, verify), 'unavailable')
  site.setBroken(false)
  assert.equal(await faultOf(token, verify), 'valid')
  const nowhere = setVerifier({ issuer, audience, jwksUri: 'http://127.0.0.1:9/jwks.json' })
  assert.equal(await faultOf(token, nowhere), 'unavailable')
})
