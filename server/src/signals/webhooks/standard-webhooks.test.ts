import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { webhookExample } from '@muster/contract/webhook-examples.ts'
import { Webhook } from 'standardwebhooks'
import { generateSecret } from './endpoint-secret.ts'
import { headersOf, signingKeysOf } from './sign-delivery.ts'

const message = webhookExample('device_trust.status_changed')
const body = JSON.stringify(message)

/** Signed now, because the library knows no other time. */
const sign = (current: string, previous?: string) =>
  headersOf({
    ...{ messageId: message.id, body, timestampSeconds: Math.floor(Date.now() / 1_000), identifier: 'x' },
    keys: { current: signingKeysOf(current), ...(previous !== undefined && { previous: signingKeysOf(previous) }) },
  })

test('the library of Standard Webhooks takes what endpoints are sent, with either secret while two overlap', () => {
  const [first, second, third] = [generateSecret(), generateSecret(), generateSecret()]
  assert.deepEqual(new Webhook(first).verify(body, sign(first)), message)
  const rolled = sign(second, first)
  for (const secret of [first, second]) assert.deepEqual(new Webhook(secret).verify(body, rolled), message)
  assert.throws(() => new Webhook(third).verify(body, rolled), /No matching signature/)
  assert.throws(() => new Webhook(first).verify(body, sign(second)), /No matching signature/)
  assert.throws(() => new Webhook(second).verify(`${body} `, rolled), /No matching signature/)
  const { 'webhook-timestamp': timestamp } = rolled
  const late = { ...rolled, 'webhook-timestamp': String(Number(timestamp) - 301) }
  assert.throws(() => new Webhook(second).verify(body, late), /too old/)
})

test('the library signs a message as endpoints are sent it', () => {
  const secret = generateSecret()
  const signed = sign(secret)
  const at = new Date(Number(signed['webhook-timestamp']) * 1_000)
  assert.equal(new Webhook(secret).sign(message.id, at, body), signed['webhook-signature'])
})

test('a receiver that only checks the HMAC of the body in Authorization takes it, with the secret before while two overlap', () => {
  const [first, second] = [generateSecret(), generateSecret()]
  const hexOf = (secret: string) => createHmac('sha256', secret).update(body).digest('hex')
  assert.equal(sign(first)['authorization'], hexOf(first))
  assert.equal(sign(second, first)['authorization'], hexOf(first))
  assert.equal(sign(second)['authorization'], hexOf(second))
})
