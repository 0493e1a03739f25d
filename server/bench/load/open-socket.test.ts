import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { requestBytes } from './http-request.ts'
import { openSocket } from './open-socket.ts'
import { runLoad } from './run-load.ts'

/** Answers each request with the pieces that its path names, one write each, so that they arrive in parts. */
const server = net.createServer((socket) => {
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (bytes) => void answer(bytes))

  async function answer(bytes: Buffer): Promise<void> {
    const name = bytes.toString('latin1').split(' ')[1] ?? ''
    for (const piece of answers[name] ?? []) {
      socket.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (name === '/end') socket.destroy()
  }
})

const answers: Record<string, string[]> = {
  '/whole': ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'],
  '/parts': ['HTTP/1.1 404 Not', ' Found\r\ncontent-length: 10\r', '\n\r\nhello', 'world'],
  '/empty': ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
  '/unknown': ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'],
}

let origin = ''
before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
})
after(() => server.close())

test('answers are read however they are cut, one after another on one connection', async () => {
  const socket = await openSocket(origin)
  const read = async (path: string) => {
    const { status, body } = await socket.send(requestBytes({ path }))
    return `${status} ${body}`
  }
  assert.equal(await read('/whole'), '200 hello')
  assert.equal(await read('/parts'), '404 helloworld')
  assert.equal(await read('/empty'), '200 ')
  assert.equal(await read('/whole'), '200 hello')
  socket.close()
})

test('an answer that does not come, or has no length, is an error', async () => {
  for (const path of ['/end', '/unknown']) {
    const socket = await openSocket(origin)
    await assert.rejects(socket.send(requestBytes({ path })))
    socket.close()
  }
})

test('a load ends with its requests and counts other statuses as failures', async () => {
  const requests = ['/whole', '/parts', '/whole', '/empty'].map((path) => requestBytes({ path })).values()
  const {
    requests: answered,
    failures,
    latencies,
  } = await runLoad({
    origin,
    connections: 2,
    next: () => requests.next().value,
  })
  assert.equal(answered, 4)
  assert.equal(failures, 1)
  assert.ok(latencies.maxMs > 0)
})
