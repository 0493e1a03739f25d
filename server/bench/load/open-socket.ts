import { once } from 'node:events'
import net from 'node:net'

export type Answer = { status: number; body: Buffer }

export type HttpSocket = {
  /** One request at a time. Rejects when the connection ends before the answer. */
  send(request: Buffer): Promise<Answer>
  close(): void
}

type Waiting = { resolve: (answer: Answer) => void; reject: (error: Error) => void }

const headEnd = Buffer.from('\r\n\r\n')

/**
 * A kept-alive connection that understands answers with a content length, and nothing more: a fifth of what a full
 * client costs, since the load generator shares the cores with what it measures.
 */
export async function openSocket(origin: string): Promise<HttpSocket> {
  const { hostname, port } = new URL(origin)
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let waiting: Waiting | undefined
  let chunks: Buffer[] = []
  let received = 0
  let expected = 0
  let status = 0
  let bodyStart = 0

  function settle(): void {
    const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    const { resolve } = waiting ?? {}
    const answer = { status, body: whole.subarray(bodyStart) }
    waiting = undefined
    chunks = []
    received = 0
    expected = 0
    resolve?.(answer)
  }

  function readHead(): void {
    const head = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    const end = head.indexOf(headEnd)
    if (end < 0) return
    const text = head.toString('latin1', 0, end)
    const length = /content-length: *(\d+)/i.exec(text)?.[1]
    if (length === undefined) {
      fail(new Error(`No content length in ${text}`))
      return
    }
    status = Number(text.slice(9, 12))
    bodyStart = end + headEnd.length
    expected = bodyStart + Number(length)
  }

  function fail(error: Error): void {
    const { reject } = waiting ?? {}
    waiting = undefined
    reject?.(error)
    socket.destroy()
  }

  socket.on('data', (chunk) => {
    chunks.push(chunk)
    received += chunk.length
    if (expected === 0) readHead()
    if (expected > 0 && received >= expected) settle()
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The connection ended before the answer')))

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}
