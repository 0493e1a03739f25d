import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import type { SignInConnection } from '../../sign-in/connections/connection-queries.ts'
import { claimsOfRequest, faultsOfRequest } from './check-request.ts'

const now = '2026-11-20T10:00:00.000Z'
const seconds = Date.parse(now) / 1_000
const issuer = 'https://muster.test/signin/oidc'
const [first, second] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' })) as [Pair, Pair]
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
type Pair = { publicKey: KeyObject; privateKey: KeyObject }

const jwkOf = ({ publicKey }: Pair, kid: string) => ({ ...publicKey.export({ format: 'jwk' }), kid }) as never
const connection = {
  ...{ kind: 'second_step', client_id: 'muster-1', redirect_uris: ['https://a.example/cb', 'https://b.example/cb'] },
  ...{ request_keys: [jwkOf(first, 'first'), jwkOf(second, 'second')], request_algorithm: 'ES256' },
  sealed_client_secret: Buffer.from('sealed'),
} as unknown as SignInConnection

const good: JWTPayload = {
  ...{ iss: 'muster-1', client_id: 'muster-1', aud: issuer, iat: seconds, exp: seconds + 300, jti: 'r-1' },
  ...{ response_type: 'code', scope: 'openid email', redirect_uri: 'https://b.example/cb', state: 's' },
  ...{ login_hint: 'ana@example.com', code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
}

type Signed = { more?: JWTPayload; key?: KeyObject; header?: object; of?: Partial<SignInConnection> }

async function faultsOf({ more = {}, key = second.privateKey, header = {}, of = {} }: Signed): Promise<string[]> {
  const text = await new SignJWT({ ...good, ...more }).setProtectedHeader({ alg: 'ES256', ...header }).sign(key)
  const claims = claimsOfRequest(text)
  assert.ok(claims)
  return faultsOfRequest({ text, connection: { ...connection, ...of }, issuer, now }, claims)
}

test('a request without a fault has none, whichever key of the connection has signed it', async () => {
  assert.deepEqual(await faultsOf({}), [])
  assert.deepEqual(await faultsOf({ key: first.privateKey }), [])
  assert.deepEqual(await faultsOf({ header: { kid: 'second' } }), [])
  assert.deepEqual(await faultsOf({ more: { aud: ['https://other.example', issuer] } }), [])
  // Of an application the upstream says who signs in.
  const application = { kind: 'application' } as const
  assert.deepEqual(await faultsOf({ more: { login_hint: undefined } as never, of: application }), [])
})

const cases: [what: string, given: Signed, fault: RegExp][] = [
  ['another key', { key: rsaless() }, /^its signature is of no key of the connection: .* first, second$/],
  ['a key under the name of another', { key: first.privateKey, header: { kid: 'second' } }, /signature is of no key/],
  ['an unknown kid', { header: { kid: 'third' } }, /^kid of its header must be .*: first, second$/],
  ['another algorithm', { key: rsa.privateKey, header: { alg: 'RS256' } }, /^alg of its header must be ES256$/],
  ['a time to come', { more: { nbf: seconds + 301 } }, /^nbf is 301 s ahead of our clock, and may be 300 s$/],
  ['a time far ahead', { more: { iat: seconds + 301, exp: seconds + 400 } }, /^iat is 301 s ahead of our clock/],
  ['a time that is no number', { more: { nbf: 'soon' } as never }, /^iat, nbf and exp must be numbers of seconds$/],
  ['another issuer', { more: { iss: 'muster-2' } }, /^iss must be the client ID, muster-1$/],
  ['another client', { more: { client_id: 'muster-2' } }, /^client_id must be muster-1$/],
  ['another audience', { more: { aud: 'https://muster.test' } }, /^aud must contain the issuer/],
  ['another answer', { more: { response_type: 'token' } }, /^response_type must be code$/],
  ['no scope openid', { more: { scope: 'openid2' } }, /^scope must contain openid$/],
  ['another address', { more: { redirect_uri: 'https://c.example/cb' } }, /^redirect_uri must be one of https:\/\/a/],
  ['nobody', { more: { login_hint: '' } }, /^login_hint must be/],
  ['a plain challenge', { more: { code_challenge_method: 'plain' } }, /^code_challenge_method must be S256/],
  ['half a challenge', { more: { code_challenge: 'a' } }, /code_challenge the SHA-256/],
  ['an old time', { more: { iat: seconds - 301 } }, /^iat is 301 s behind our clock, and may be 300 s$/],
  ['an end that has passed', { more: { exp: seconds - 10 } }, /^exp has passed 10 s ago by our clock$/],
  ['a long life', { more: { exp: seconds + 601 } }, /^exp must be at most 10 minutes after iat$/],
  ['no time', { more: { iat: undefined, exp: undefined } as never }, /needs iat or exp/],
]

function rsaless(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

for (const [what, given, fault] of cases) {
  test(`a request with ${what} has that one fault`, async () => {
    const faults = await faultsOf(given)
    assert.equal(faults.length, 1, faults.join('\n'))
    assert.match(faults[0] ?? '', fault)
  })
}

test('all faults of a request are named at once, those of a wrong signature too', async () => {
  const faults = await faultsOf({ key: rsaless(), more: { exp: seconds - 60, login_hint: '' } })
  assert.deepEqual(
    faults.map((fault) => fault.split(' ')[0]),
    ['its', 'exp', 'login_hint'],
  )
})

test('what is no signed JWT has no claims', () => {
  for (const text of ['', 'a.b', 'a.b.c', 'a.b.c.d.e', '{}', 'eyJhbGciOiJub25lIn0.W10.']) {
    assert.equal(claimsOfRequest(text), undefined, text)
  }
})
