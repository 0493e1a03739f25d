import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Container runtimes kill a process ten seconds after they have asked it to stop. */
const requestsMayTakeMs = 5_000
const lookEveryMs = 50
/** What was written last leaves the process meanwhile. */
const partingMs = 200

/**
 * Keeps a stop from waiting for others: connections without a request, also those that never sent one or only half of
 * its headers, end as soon as the requests under way are answered, and a request that takes long ends with them.
 */
export function endConnectionsAtStop(app: FastifyInstance): void {
  const sockets = new Set<Socket>()
  let requestsUnderWay = 0
  // The TLS server's type does not say that it has the events of both.
  const server = app.server as Server
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (_request, response) => {
    requestsUnderWay += 1
    response.once('close', () => {
      requestsUnderWay -= 1
    })
  })
  app.addHook('preClose', (done) => {
    const endsAt = performance.now() + requestsMayTakeMs
    let idleSince: number | undefined
    const timer = setInterval(() => {
      const now = performance.now()
      if (requestsUnderWay > 0) idleSince = undefined
      else idleSince ??= now
      const isOver = now >= endsAt || (idleSince !== undefined && now - idleSince >= partingMs)
      if (isOver) for (const socket of sockets) socket.destroy()
    }, lookEveryMs)
    server.once('close', () => clearInterval(timer))
    done()
  })
}
