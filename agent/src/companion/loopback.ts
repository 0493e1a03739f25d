import { createServer, type Server } from 'node:http'
import { answerLoopback, type LoopbackParts } from './answer-loopback.ts'
import { boundConnections } from './bound-connections.ts'
import { rateLimit } from './rate-limit.ts'

export type Loopback = { port: number; close: () => Promise<void> }

const requestsPerSecond = 10
const maxWaiting = 64
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 3_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  // Node looks every 30 seconds by itself, which would make those two of no use.
  connectionsCheckingInterval: 1_000,
}

/** Listens on 127.0.0.1 at the first of the ports that is free; undefined when none is. */
export async function openLoopback(ports: readonly number[], parts: LoopbackParts): Promise<Loopback | undefined> {
  for (const port of ports) {
    const server = createServer(limits)
    boundConnections(server, maxWaiting)
    if (!(await listen(server, port))) continue
    // Each has a count of its own: any page can navigate here, and must not use up what the sign-in page needs.
    const isTooFast = { page: rateLimit(requestsPerSecond), navigation: rateLimit(requestsPerSecond) }
    server.on('request', (request, response) => {
      void answerLoopback({ request, response, port, isTooFast }, parts)
    })
    return {
      port,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    }
  }
  return undefined
}

const listen = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
