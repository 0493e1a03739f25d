import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { generateSecret, sealHeaders, sealSecret, unsealHeaders, unsealSecret } from './endpoint-secret.ts'
import { headersOf, signingKeysOf } from './sign-delivery.ts'

const delivery = {
  messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: '{"test": 2432232314}',
  identifier: '5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11',
}
const current = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

test('a request is signed as the example of Standard Webhooks is, and by the whole body', () => {
  assert.deepEqual(headersOf({ ...delivery, keys: { current: signingKeysOf(current) } }), {
    'content-type': 'application/json',
    'user-agent': 'Muster',
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    authorization: createHmac('sha256', current).update(delivery.body).digest('hex'),
    'x-service-webhook-identifier': delivery.identifier,
  })
})

test('while secrets overlap both sign, and Authorization stays with the one before', () => {
  const [next, previous] = [generateSecret(), current]
  const both = headersOf({ ...delivery, keys: { current: signingKeysOf(next), previous: signingKeysOf(previous) } })
  const [first, second] = (both['webhook-signature'] ?? '').split(' ')
  assert.equal(first, headersOf({ ...delivery, keys: { current: signingKeysOf(next) } })['webhook-signature'])
  assert.equal(second, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  assert.equal(both['authorization'], createHmac('sha256', previous).update(delivery.body).digest('hex'))
})

test('custom headers are sent, but not in place of ours', () => {
  const custom = { 'x-team': 'it', authorization: 'Bearer x' }
  const headers = headersOf({ ...delivery, keys: { current: signingKeysOf(current) }, custom })
  assert.equal(headers['x-team'], 'it')
  assert.equal(
    headers['authorization'],
    headersOf({ ...delivery, keys: { current: signingKeysOf(current) } })['authorization'],
  )
})

test('a secret has the form of Standard Webhooks, and it and headers open only in their place', () => {
  const secrets = openSecrets(Buffer.alloc(32, 7))
  const secret = generateSecret()
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const [place, other] = [
    { organizationId: '1', endpointId: '2' },
    { organizationId: '2', endpointId: '2' },
  ]
  const sealed = sealSecret(secrets, secret, place)
  const headers = sealHeaders(secrets, { 'x-team': 'it' }, place)
  assert.equal(unsealSecret(secrets, sealed, place), secret)
  assert.deepEqual(unsealHeaders(secrets, headers, place), { 'x-team': 'it' })
  for (const open of [() => unsealSecret(secrets, sealed, other), () => unsealHeaders(secrets, sealed, place)]) {
    assert.throws(open)
  }
})
