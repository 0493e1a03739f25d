import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { readChallenge } from './read-challenge.ts'

const [ours, others] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')]
const origin = 'https://muster.example.com'
const trust = {
  organization: '7',
  origin: `${origin}/`,
  challengeKeys: [{ ...(await exportJWK(ours.publicKey)), kid: 'k1' }],
  ports: [],
  epoch: 'e',
  offsetMs: 0,
}
const header = { alg: 'ES256', typ: 'muster-challenge+jwt', kid: 'k1' }
const payload = { iss: origin, aud: 'urn:muster:agent:7', jti: 'n', sid: 's', origin, iat: 1_000, exp: 1_060 }

/** With a header that no library would sign, the signature is of no use. */
async function signed(
  claims: object,
  more: { alg?: string; kid?: string } = {},
  key = ours.privateKey,
): Promise<string> {
  const text = await new CompactSign(new TextEncoder().encode(JSON.stringify({ ...payload, ...claims })))
    .setProtectedHeader({ ...header, ...more, alg: 'ES256' })
    .sign(key)
  if (more.alg === undefined) return text
  return [base64url({ ...header, ...more }), ...text.split('.').slice(1)].join('.')
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const refusalOf = async (text: string) => {
  const read = await readChallenge(text, trust)
  return 'refused' in read ? read.refused : undefined
}

test('a challenge of the organization for the pinned origin is read, however old its times are', async () => {
  assert.deepEqual(await readChallenge(await signed({}), trust), { challenge: { jti: 'n', sid: 's' } })
  const later = { iat: 9_000_000_000, exp: 9_000_000_001 }
  const elsewhere = { iss: `${origin}/muster`, origin: 'https://MUSTER.example.com:443' }
  for (const claims of [later, elsewhere]) assert.equal(await refusalOf(await signed(claims)), undefined)
})

type Case = [claims: object, reason: string, header?: { alg?: string; kid?: string }]

test('any other is refused, and the reason is the first thing that is wrong with it', async () => {
  const cases: Case[] = [
    ...[{ jti: '' }, { jti: 1 }, { sid: undefined }].map((claims): Case => [claims, 'malformed']),
    ...[{ alg: 'ES384' }, { typ: 'JWT' }, { typ: 'muster-proof+jwt' }].map(
      (header): Case => [{}, 'wrong_type', header],
    ),
    ...[{ kid: 'k2' }, { kid: '' }].map((header): Case => [{}, 'unknown_key', header]),
    ...['https://evil.example', `${origin}.evil.example`, origin.replace('https', 'http'), 'null', 7].flatMap(
      (address): Case[] => [
        [{ iss: address }, 'wrong_server'],
        [{ origin: address }, 'wrong_server'],
      ],
    ),
    ...['urn:muster:agent:8', ['urn:muster:agent:7'], undefined].map((aud): Case => [{ aud }, 'wrong_organization']),
    ...[1_061, 1_000, 999, '1060', null, undefined].map((exp): Case => [{ exp }, 'wrong_life']),
    ...['1000', null, undefined].map((iat): Case => [{ iat }, 'wrong_life']),
    [{ iss: 'https://evil.example', aud: 'x', exp: 0 }, 'wrong_server'],
    [{ aud: 'x', exp: 0 }, 'wrong_organization'],
  ]
  for (const [claims, reason, more] of cases) {
    assert.equal(await refusalOf(await signed(claims, more)), reason, JSON.stringify([claims, more]))
  }
})

test('so is one that another key has signed, that was changed, or that is no signed text at all', async () => {
  const [head = '', , signature = ''] = (await signed({})).split('.')
  const changed = base64url({ ...payload, sid: 'another' })
  for (const text of [await signed({}, {}, others.privateKey), `${head}.${changed}.${signature}`]) {
    assert.equal(await refusalOf(text), 'invalid_signature')
  }
  for (const text of [
    '',
    'x',
    '..',
    `${head}.${changed}`,
    `${head}.${changed}.x.y`,
    `${head}.${'x'.repeat(8_200)}.x`,
  ]) {
    assert.equal(await refusalOf(text), 'malformed', text.slice(0, 80))
  }
  assert.equal(await refusalOf(`${base64url({ ...header, alg: 'none' })}.${changed}.`), 'wrong_type')
})
