import { connect, type Socket } from 'node:net'

export type HeldRequest = {
  /** The status of the answer once there is one, 0 once the connection is gone. */
  readonly status: Promise<number>
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>
  /** Settles when the bytes have left, or cannot leave anymore. */
  send: (bytes: Buffer | string) => Promise<void>
  end: () => void
}

/** A POST over a connection of its own, whose body comes as the test sends it. */
export function heldRequest(origin: string, path: string, headers: Record<string, string | number>): HeldRequest {
  const { hostname, port } = new URL(origin)
  const socket: Socket = connect(Number(port), hostname)
  const status = new Promise<number>((resolve) => {
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      const found = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    socket.on('error', () => resolve(0))
    socket.on('close', () => resolve(0))
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const lines = Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers })
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  return {
    status,
    closed,
    send: (bytes) =>
      new Promise((resolve) => {
        socket.once('close', () => resolve())
        socket.write(bytes, () => resolve())
      }),
    end: () => void socket.destroy(),
  }
}
