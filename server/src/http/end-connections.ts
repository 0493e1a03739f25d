import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Container runtimes kill a process ten seconds after they have asked it to stop. */
const requestsMayTakeMs = 5_000
const lookEveryMs = 50
/** What was written last leaves the process meanwhile. */
const partingMs = 200

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on `/readyz` answers 503, while requests are still answered: load balancers look elsewhere. */
    drain(): void
    isDraining(): boolean
  }
}

/**
 * From `drain` on, every answer is the last of its connection, so that none is under way when the connections end.
 * Keeps a stop from waiting for others: connections without a request, also those that never sent one or only half of
 * its headers, end as soon as the requests under way are answered, and a request that takes long ends with them.
 */
export function endConnectionsAtStop(app: FastifyInstance): void {
  const sockets = new Set<Socket>()
  const underWay = new Set<ServerResponse>()
  let isDraining = false
  // The TLS server's type does not say that it has the events of both.
  const server = app.server as Server
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Before whatever answers, early or not.
  server.prependListener('request', (_request, response) => {
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    if (isDraining) makeLast(response)
  })
  const drain = (): void => {
    isDraining = true
    for (const response of underWay) makeLast(response)
  }
  app.decorate('drain', drain)
  app.decorate('isDraining', () => isDraining)
  app.addHook('preClose', (done) => {
    drain()
    const endsAt = performance.now() + requestsMayTakeMs
    let idleSince: number | undefined
    const timer = setInterval(() => {
      const now = performance.now()
      if (underWay.size > 0) idleSince = undefined
      else idleSince ??= now
      const isOver = now >= endsAt || (idleSince !== undefined && now - idleSince >= partingMs)
      if (isOver) for (const socket of sockets) socket.destroy()
    }, lookEveryMs)
    server.once('close', () => clearInterval(timer))
    done()
  })
}

function makeLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
