import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../../test/support/database.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { pour, rawReceivers } from '../../../../test/support/raw-receivers.ts'
import { systemClock } from '../../../base/clock.ts'
import { transact } from '../../../base/db/transact.ts'
import { createLogger } from '../../../base/logging.ts'
import { openOutbound } from '../../../base/outbound/outbound.ts'
import { openSecrets } from '../../../base/secrets/secrets.ts'
import { queueWebhooks } from '../../webhook-ledger/queue-webhooks.ts'
import { generateSecret, sealSecret } from '../endpoint-secret.ts'
import { startDeliveries } from './start-deliveries.ts'

const { certificate, rawReceiver, receiver, toLoopback } = rawReceivers()
const database = testDatabase()
const make = makeIn(database)
const secrets = openSecrets(randomBytes(32))
/** Of which 64 KiB are taken, and what is on its way by then. */
const maxBytes = 512 * 1024

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

async function addEndpoint(port: number): Promise<string> {
  const { id } = await make.webhookEndpoint(organizationId, { url: `https://receiver.test:${port}/hooks` })
  const sealed = sealSecret(secrets, generateSecret(), { organizationId, endpointId: id })
  await database.db.updateTable('webhook_endpoints').set({ sealed_secret: sealed }).where('id', '=', id).execute()
  return id
}

/** Sends one webhook to each endpoint, and resolves to what the log has when each was tried once. */
async function deliverOnce(endpointIds: readonly string[]) {
  const at = systemClock()
  const data = { device_id: 7, device_name: 'Mac', device_status: 'good' as const, device_url: 'https://x.test/7' }
  const message = {
    event: 'device_trust.status_changed' as const,
    data,
    deviceId: '7',
    orderedBy: '7',
    cause: 'test',
    at,
  }
  await transact(database.db, (tx) => queueWebhooks(tx, organizationId, [message]))
  const attempts = () =>
    database.db
      .selectFrom('webhook_attempt_log as attempt')
      .innerJoin('webhook_deliveries as delivery', 'delivery.id', 'attempt.delivery_id')
      .select(['attempt.endpoint_id', 'attempt.status', 'attempt.error', 'attempt.response', 'delivery.state'])
      .execute()
  const outbound = openOutbound({
    ...{ allowPrivate: true, deadlineMs: 4_000, extraAuthorities: [certificate.cert] },
    ...toLoopback(),
  })
  const common = { secrets, clock: systemClock, log: createLogger('silent'), outbound }
  const deliveries = await startDeliveries({ connection: database.connection, ...common })
  try {
    await until(15_000, async () => (await attempts()).length >= endpointIds.length)
  } finally {
    await deliveries.stop()
    await outbound.close()
  }
  const found = new Map((await attempts()).map(({ endpoint_id: id, ...attempt }) => [id, attempt]))
  return endpointIds.map((id) => found.get(id))
}

const http = (status: string) => `HTTP/1.1 ${status}\r\n`
const endless: [title: string, beginning: string, again: string, status: number][] = [
  ['to the end of the connection', `${http('200 OK')}\r\n`, 'a', 200],
  ['of a gibibyte', `${http('202 Accepted')}Content-Length: 1073741824\r\n\r\n`, 'a', 202],
  ['in chunks', `${http('200 OK')}Transfer-Encoding: chunked\r\n\r\n`, `4000\r\n${'a'.repeat(16_384)}\r\n`, 200],
  ['of an error', `${http('500 Oh')}\r\n`, 'a', 500],
]
for (const [title, beginning, again, status] of endless) {
  test(`an answer without an end, ${title}, costs little, and its beginning is in the log`, async (t) => {
    const sockets: Socket[] = []
    const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
    const id = await addEndpoint(await rawReceiver((socket) => pour(socket, beginning, again)))
    subscribe('undici:client:connected', note)
    const [attempt] = await deliverOnce([id])
    unsubscribe('undici:client:connected', note)
    const read = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    t.diagnostic(`${read} bytes came in over ${sockets.length} connection`)
    const isTaken = status < 300
    assert.deepEqual(attempt, {
      ...{ status, error: isTaken ? null : `The endpoint answered ${status}`, response: 'a'.repeat(4_096) },
      state: isTaken ? 'delivered' : 'pending',
    })
    assert.ok(read > 65_536 && read < maxBytes, `${read} bytes`)
    assert.ok(sockets.every(({ destroyed }) => destroyed))
  })
}

test('no kind of redirect is followed, wherever it leads', async () => {
  let followed = 0
  const elsewhere = await receiver((_request, response) => {
    followed += 1
    response.writeHead(202).end()
  })
  const places = [
    `https://receiver.test:${elsewhere}/`,
    `http://127.0.0.1:${elsewhere}/`,
    '//169.254.169.254/',
    '/again',
  ]
  const asked: string[] = []
  const cases = [300, 301, 302, 303, 307, 308].flatMap((status) => places.map((location) => ({ status, location })))
  const ids: string[] = []
  for (const { status, location } of cases) {
    const port = await receiver((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.writeHead(status, { location }).end()
    })
    ids.push(await addEndpoint(port))
  }
  const attempts = await deliverOnce(ids)
  assert.deepEqual(
    attempts,
    cases.map(({ status }) => ({ status, error: `The endpoint answered ${status}`, response: '', state: 'pending' })),
  )
  assert.deepEqual([followed, asked], [0, Array(cases.length).fill('POST /hooks')])
})
