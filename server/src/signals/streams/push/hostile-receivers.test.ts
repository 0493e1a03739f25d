import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { testApp } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { pour, rawReceivers } from '../../../../test/support/raw-receivers.ts'
import { systemClock } from '../../../base/clock.ts'
import { openOutbound } from '../../../base/outbound/outbound.ts'
import { startPush } from './start-push.ts'

const { certificate, rawReceiver, toLoopback } = rawReceivers()
const extraAuthorities = [certificate.cert]
const outbound = openOutbound({ allowPrivate: true, deadlineMs: 5_000, extraAuthorities, ...toLoopback() })
const app = testApp({ env: { MUSTER_ALLOW_PRIVATE_RECEIVERS: 'true' }, outbound })
let ticking: NodeJS.Timeout
before(() => {
  ticking = setInterval(() => app.setNow(systemClock()), 20)
})
after(() => clearInterval(ticking))

const accepted = 'HTTP/1.1 202 Accepted\r\n'
const broken = 'The connection could not be made, or broke'
const late = 'The receiver did not answer in time'
const hostile: [title: string, speak: (socket: Socket) => void, status: number | null, error: string | null][] = [
  ['accepts with an endless body', (socket) => pour(socket, `${accepted}\r\n`, 'a'), 202, null],
  ['floods early hints', (socket) => pour(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'), null, broken],
  ['pours out headers', (socket) => pour(socket, accepted, 'X-One: 1\r\n'), null, broken],
  [
    'changes the protocol',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    null,
    broken,
  ],
  ['accepts and never ends', (socket) => socket.write(`${accepted}Content-Length: 9\r\n\r\n`), null, late],
  [
    'leads elsewhere',
    (socket) => socket.end('HTTP/1.1 308 Permanent Redirect\r\nLocation: https://127.0.0.1/\r\n\r\n'),
    308,
    'The receiver answered 308',
  ],
  ['hangs up', (socket) => socket.destroy(), null, broken],
]

async function streamTo(port: number): Promise<string> {
  const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: `https://receiver.test:${port}/events` }
  const { status, body } = await app.ask('POST', '/ssf_streams', { body: { delivery } })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

async function verify(id: string): Promise<void> {
  assert.equal((await app.ask('POST', '/ssf_streams/verify', { body: { stream_id: id } })).status, 204)
}

const historyOf = async (id: string) => (await app.ask('GET', `/ssf_streams/${id}/history`)).body.data

test('hostile receivers are delivered to or held, each for itself, and cost an honest one nothing', async (t) => {
  const honest = await streamTo(
    await rawReceiver((socket) => void socket.end(`${accepted}Content-Length: 0\r\nConnection: close\r\n\r\n`)),
  )
  const ids: string[] = []
  for (const [, speak] of hostile) ids.push(await streamTo(await rawReceiver(speak)))
  for (const id of ids) await verify(id)
  const push = startPush(app.streams)
  try {
    const took: number[] = []
    for (let sent = 1; sent <= 10; sent += 1) {
      await verify(honest)
      const isDelivered = async () => {
        const rows = await historyOf(honest)
        return rows.length === sent && rows.every(({ state }: { state: string }) => state === 'delivered')
      }
      took.push(await until(15_000, isDelivered, 20))
    }
    t.diagnostic(`an honest receiver beside ${hostile.length} others: ${took.map(Math.round).join(', ')} ms`)
    for (const [index, [title, , status, error]] of hostile.entries()) {
      const id = ids[index] ?? ''
      const attempts = async () => (await historyOf(id))[0]?.attempts ?? []
      await until(60_000, async () => (await attempts()).length >= (error === null ? 1 : 2), 100)
      const [{ state }] = await historyOf(id)
      const seen = new Set((await attempts()).map((one: Record<string, unknown>) => `${one['status']} ${one['error']}`))
      assert.deepEqual([state, ...seen], [error === null ? 'delivered' : 'pending', `${status} ${error}`], title)
    }
  } finally {
    await push.stop()
  }
})
