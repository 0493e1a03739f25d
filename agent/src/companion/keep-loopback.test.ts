import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { afterEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepLoopback } from './keep-loopback.ts'
import { nothingTold } from './who-asks.ts'

const secondMs = 1
const opened: { close: () => unknown }[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

/** Another program on each of so many ports. */
async function impostors(count: number) {
  const servers = Array.from({ length: count }, () => net.createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  opened.push({ close: () => servers.map((server) => server.close()) })
  return servers.map((server) => ({
    port: (server.address() as net.AddressInfo).port,
    leave: async () => once(server.close(), 'close'),
  }))
}

async function keep(ports: () => number[]) {
  const changed = Promise.withResolvers<void>()
  const prove = async () => ({ refused: 'seen' as const })
  const parts = { origin: () => undefined, prove, wake: () => {}, whoAsks: nothingTold }
  const kept = await keepLoopback(ports, parts, { secondMs, onChange: changed.resolve })
  opened.push(kept)
  return { kept, changed: changed.promise }
}

const statusAt = async (port: number) => {
  const request = http.get({ host: '127.0.0.1', port, agent: false })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  response.resume()
  return response.statusCode
}

test('where all six ports are taken, they are told, and the one that is freed is taken without being asked', async () => {
  const others = await impostors(6)
  const ports = others.map(({ port }) => port)
  const { kept, changed } = await keep(() => ports)
  assert.deepEqual([kept.port, kept.takenPorts], [null, ports])
  await others[3]?.leave()
  await changed
  assert.deepEqual([kept.port, kept.takenPorts], [ports[3], ports.slice(0, 3)])
  assert.equal(await statusAt(ports[3] ?? 0), 404)
})

test('a port that another program was first at stays told after that has left', async () => {
  const [first, second] = await impostors(2)
  assert.ok(first && second)
  await second.leave()
  const { kept } = await keep(() => [first.port, second.port])
  assert.deepEqual([kept.port, kept.takenPorts], [second.port, [first.port]])
  await first.leave()
  await sleep(150 * secondMs)
  assert.deepEqual([kept.port, kept.takenPorts], [second.port, [first.port]])
})

test('the ports that are tried are those which the server has told last', async () => {
  const [taken, free] = await impostors(2)
  assert.ok(taken && free)
  let ports = [taken.port]
  const { kept, changed } = await keep(() => ports)
  await free.leave()
  ports = [free.port]
  await changed
  assert.deepEqual([kept.port, kept.takenPorts], [free.port, []])
})

test('a port that is lost by an error is tried again', async (t) => {
  const listen = t.mock.method(http.Server.prototype, 'listen')
  const [place] = await impostors(1)
  assert.ok(place)
  await place.leave()
  const { kept, changed } = await keep(() => [place.port])
  const server = listen.mock.calls[0]?.this as http.Server
  server.emit('error', new Error('accept EMFILE'))
  await once(server, 'close')
  await new Promise(setImmediate)
  assert.equal(kept.port, null)
  await changed
  assert.equal(kept.port, place.port)
  assert.equal(await statusAt(place.port), 404)
})

test('nothing listens after it was closed, and no port is tried any more', async () => {
  const [first, second] = await impostors(2)
  assert.ok(first && second)
  await second.leave()
  const [{ kept }, { kept: waiting }] = [await keep(() => [second.port]), await keep(() => [first.port])]
  await Promise.all([kept.close(), waiting.close()])
  await first.leave()
  await sleep(150 * secondMs)
  for (const port of [first.port, second.port]) await assert.rejects(statusAt(port), { code: 'ECONNREFUSED' })
})
