import { generateKeyPairSync, randomUUID, sign as signCallback } from 'node:crypto'
import { promisify } from 'node:util'
import { Client } from 'undici'
import { serveTurns } from './serve-turns.ts'

// The least that could push: sign a token of the usual size and POST it, some loops at once, each over a connection of
// its own. `GET /<milliseconds>/<loops>` answers how many were taken.
const sign = promisify(signCallback)
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = encode({ alg: 'RS256', kid: randomUUID(), typ: 'secevent+jwt' })
const receiver = process.env['BENCH_RECEIVER'] ?? ''

const claims = () => ({
  iss: 'https://trust.example.test',
  jti: randomUUID(),
  iat: Math.floor(performance.now()),
  aud: `${receiver}/events`,
  txn: randomUUID(),
  sub_id: {
    format: 'complex',
    user: { format: 'email', email: 'person1042@acme.example' },
    device: { format: 'iss_sub', iss: 'https://trust.example.test', sub: '1042' },
    tenant: { format: 'opaque', id: '1' },
  },
  events: {
    'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change': {
      previous_status: 'compliant',
      current_status: 'not-compliant',
      event_timestamp: 1_784_000_001,
      initiating_entity: 'policy',
      reason_admin: { en: 'Blocked by: Disk is not encrypted' },
    },
  },
})

const headers = { 'content-type': 'application/secevent+jwt', accept: 'application/json' }

async function push(client: Client): Promise<void> {
  const signed = `${header}.${encode(claims())}`
  const signature = await sign('RSA-SHA256', Buffer.from(signed), privateKey)
  const body = `${signed}.${signature.toString('base64url')}`
  const answer = await client.request({ method: 'POST', path: '/events', headers, body })
  await answer.body.dump()
  if (answer.statusCode !== 202) throw new Error(`The receiver answered ${answer.statusCode}`)
}

serveTurns(push, () => new Client(receiver, { pipelining: 1 }))
