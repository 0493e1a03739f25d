import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { boundConnections } from './bound-connections.ts'

test('of connections that wait the oldest is closed when one too many comes; one that is being answered stays', async (t) => {
  const server = createServer({ headersTimeout: 0, requestTimeout: 0 })
  boundConnections(server, 3)
  const answers: (() => void)[] = []
  server.on('request', (_request, response) => {
    answers.push(() => void response.end('answered'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  const sockets: net.Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  async function connect(): Promise<net.Socket> {
    const socket = net.connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const busy = await connect()
  busy.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(server, 'request')
  const [first, second, ...others] = [
    await connect(),
    await connect(),
    await connect(),
    await connect(),
    await connect(),
  ]
  if (!first || !second) throw new Error('Not connected')
  for (const socket of [first, second]) if (!socket.closed) await once(socket.resume(), 'close')
  assert.deepEqual(
    others.map(({ closed }) => closed),
    [false, false, false],
  )
  answers[0]?.()
  const [chunk] = await once(busy, 'data')
  assert.match(String(chunk), /answered/)
})
