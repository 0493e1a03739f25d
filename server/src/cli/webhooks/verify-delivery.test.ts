import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateSecret } from '../../signals/webhooks/endpoint-secret.ts'
import { headersOf, signingKeysOf } from '../../signals/webhooks/sign-delivery.ts'
import { readHeaders } from './read-headers.ts'
import { type Received, verifyDelivery } from './verify-delivery.ts'

const signedAt = 1_763_630_043
const text = '{"event":"webhook.test","id":"01KAF5J8T3Q4V9R0C6M1B7X2ZD"}'
const [secret, previous, other] = [generateSecret(), generateSecret(), generateSecret()]

function received(changed: Partial<Received> = {}, signing: { previous?: string } = {}): Received {
  const headers = headersOf({
    ...{ messageId: '01KAF5J8T3Q4V9R0C6M1B7X2ZD', body: text, timestampSeconds: signedAt, identifier: 'x' },
    keys: {
      current: signingKeysOf(secret),
      ...(signing.previous !== undefined && { previous: signingKeysOf(signing.previous) }),
    },
  })
  return {
    secrets: [secret],
    body: Buffer.from(text),
    id: headers['webhook-id'],
    timestamp: headers['webhook-timestamp'],
    signature: headers['webhook-signature'],
    authorization: headers['authorization'],
    toleranceSeconds: 300,
    nowSeconds: signedAt + 12,
    ...changed,
  }
}

const faultsOf = (changed: Partial<Received>, signing?: { previous?: string }) =>
  verifyDelivery(received(changed, signing)).faults

test('what an endpoint is sent is valid, by either signature and by both', () => {
  assert.deepEqual(verifyDelivery(received()), {
    faults: [],
    facts: ['It was signed 12 seconds ago.', 'The webhook-signature is right.', 'The Authorization is right.'],
  })
  assert.deepEqual(verifyDelivery(received({ authorization: undefined })).faults, [])
  const hexOnly = { id: undefined, timestamp: undefined, signature: undefined }
  assert.deepEqual(verifyDelivery(received(hexOnly)), { faults: [], facts: ['The Authorization is right.'] })
})

test('while two secrets overlap either is enough for webhook-signature, and Authorization needs the previous one', () => {
  assert.deepEqual(verifyDelivery(received({ secrets: [secret, previous] }, { previous })), {
    faults: [],
    facts: [
      'It was signed 12 seconds ago.',
      'The webhook-signature is right, by secret 1 of 2.',
      'The Authorization is right, by secret 2 of 2.',
    ],
  })
  assert.deepEqual(faultsOf({ secrets: [previous] }, { previous }), [])
  assert.deepEqual(faultsOf({ authorization: undefined }, { previous }), [])
  assert.match(faultsOf({}, { previous }).join(), /^The Authorization is wrong: .* After a roll/)
})

const signatureFault = /^The webhook-signature is wrong/
const cases: [what: string, changed: Partial<Received>, faults: RegExp[]][] = [
  ['another secret', { secrets: [other] }, [signatureFault, /^The Authorization is wrong/]],
  ['another body', { body: Buffer.from(`${text} `) }, [signatureFault, /^The Authorization is wrong/]],
  ['a line break at the end', { body: Buffer.from(`${text}\n`) }, [/line break that was not sent/, /line break/]],
  ['another id', { id: 'x' }, [signatureFault]],
  ['another timestamp', { timestamp: String(signedAt + 1) }, [signatureFault]],
  ['no id', { id: undefined }, [/^There is no webhook-id/]],
  ['no timestamp', { timestamp: undefined }, [/^There is no webhook-timestamp/, signatureFault]],
  ['a timestamp in words', { timestamp: 'noon' }, [/no whole number of seconds/, signatureFault]],
  ['signed too long ago', { nowSeconds: signedAt + 301 }, [/^It was signed 301 seconds ago, which is more than 300/]],
  ['signed in the future', { nowSeconds: signedAt - 301 }, [/^It was signed 301 seconds from now/]],
  ['a signature of another version', { signature: 'v2,AAAA' }, [/no part that begins with `v1,`/]],
  ['half a signature', { signature: 'v1,AAAA' }, [signatureFault]],
  ['a bearer token', { authorization: 'Bearer x' }, [/^The Authorization is not 64 hexadecimal digits/]],
  ['no signature', { signature: undefined, authorization: undefined }, [/^There is neither/]],
  ['no secret', { secrets: [] }, [/^There is no secret/]],
  ['a secret that is none', { secrets: ['hunter2'] }, [/^The secret has to be `whsec_` and base64/]],
]
for (const [what, changed, expected] of cases) {
  test(`not valid: ${what}`, () => {
    const faults = faultsOf(changed)
    assert.equal(faults.length, expected.length, faults.join(' '))
    for (const [index, pattern] of expected.entries()) assert.match(faults[index] ?? '', pattern)
  })
}

test('however long ago it was signed, where age does not matter', () => {
  const ages = { toleranceSeconds: null, nowSeconds: signedAt + 90_000_000 }
  assert.deepEqual(faultsOf(ages), [])
})

test('headers are read as HTTP, curl and the delivery log write them', () => {
  const expected = [
    ['webhook-id', 'x'],
    ['authorization', 'a:b'],
  ]
  const written = [
    'POST /hooks HTTP/1.1\r\nWebhook-Id: x\r\nAuthorization: a:b\r\n\r\n{"body": true}',
    '> POST /hooks HTTP/2\n> webhook-id: x\n> authorization:a:b\n',
    ' {"webhook-id": "x", "Authorization": "a:b"}\n',
  ]
  for (const one of written) assert.deepEqual([...readHeaders(one, 'headers')], expected, one)
  for (const one of ['webhook-id', '{"webhook-id": 1}', '{"webhook-id"']) {
    assert.throws(() => readHeaders(one, 'headers'), { name: 'CommandError', exitCode: 2 })
  }
})
