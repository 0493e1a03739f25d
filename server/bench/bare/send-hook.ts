import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import type { Client } from 'undici'

const random = randomBytes(32)
const key = createSecretKey(random)
const secret = createSecretKey(Buffer.from(`whsec_${random.toString('base64')}`))
let made = 0

/** Signs a body of the usual size in both ways and POSTs it. */
export async function sendHook(client: Client): Promise<void> {
  made += 1
  const id = `01KAF5J8T3Q4V9R0${made.toString(32).toUpperCase().padStart(10, '0')}`
  const data = {
    ...{ device_id: 1042, device_name: 'Device 1042', device_status: 'blocked' },
    device_url: 'https://trust.example.test/devices/1042',
  }
  const now = new Date()
  const body = JSON.stringify({ event: 'device_trust.status_changed', id, timestamp: now.toISOString(), data })
  const seconds = Math.floor(now.getTime() / 1_000)
  const answer = await client.request({
    method: 'POST',
    path: '/events',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`,
      authorization: createHmac('sha256', secret).update(body).digest('hex'),
      'x-service-webhook-identifier': '5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11',
    },
    body,
  })
  await answer.body.dump()
  if (answer.statusCode !== 202) throw new Error(`The receiver answered ${answer.statusCode}`)
}
