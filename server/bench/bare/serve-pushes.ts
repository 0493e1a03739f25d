import { generateKeyPairSync, randomUUID, sign as signCallback } from 'node:crypto'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { Client } from 'undici'
import { reportToBench } from '../trial/process-report.ts'

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

async function loop(endsAt: number): Promise<number> {
  const client = new Client(receiver, { pipelining: 1 })
  const headers = { 'content-type': 'application/secevent+jwt', accept: 'application/json' }
  let sent = 0
  for (; performance.now() < endsAt; sent += 1) {
    const signed = `${header}.${encode(claims())}`
    const signature = await sign('RSA-SHA256', Buffer.from(signed), privateKey)
    const body = `${signed}.${signature.toString('base64url')}`
    const answer = await client.request({ method: 'POST', path: '/events', headers, body })
    await answer.body.dump()
    if (answer.statusCode !== 202) throw new Error(`The receiver answered ${answer.statusCode}`)
  }
  await client.close()
  return sent
}

const server = createServer((request, response) => {
  const [, durationMs = 0, loops = 1] = (request.url ?? '').split('/').map(Number)
  const startedAt = performance.now()
  void Promise.all(Array.from({ length: loops }, () => loop(startedAt + durationMs))).then((sent) => {
    const rows = sent.reduce((sum, one) => sum + one, 0)
    const body = JSON.stringify({ rows, seconds: (performance.now() - startedAt) / 1_000 })
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  reportToBench(`http://127.0.0.1:${port}`, async () => {})
})
