import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Keeps at most `most` connections that wait for a request: a new one takes the place of the oldest. So no number of
 * connections that send nothing, or send slowly, keeps a browser out, which sends its request as soon as it is connected.
 */
export function boundConnections(server: Server, most: number): void {
  const waiting = new Set<Socket>()

  function note(socket: Socket): void {
    waiting.add(socket)
    const [oldest] = waiting
    if (waiting.size <= most || !oldest) return
    waiting.delete(oldest)
    oldest.destroy()
  }

  server.on('connection', (socket) => {
    socket.once('close', () => waiting.delete(socket))
    note(socket)
  })
  server.on('request', ({ socket }, response) => {
    waiting.delete(socket)
    response.once('close', () => {
      if (!socket.destroyed) note(socket)
    })
  })
}
