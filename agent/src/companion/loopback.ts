import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { answerLoopback, type LoopbackParts } from './answer-loopback.ts'
import { boundConnections } from './bound-connections.ts'
import { rateLimit } from './rate-limit.ts'

export type Loopback = {
  port: number
  /** The ports before it, which were taken when it was opened. */
  takenPorts: readonly number[]
  /** Resolves when it no longer listens, for whatever reason. */
  closed: Promise<unknown>
  close: () => Promise<void>
}

const requestsPerSecond = 10
const maxWaiting = 64
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 3_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  // Node looks every 30 seconds by itself, which would make those two of no use.
  connectionsCheckingInterval: 1_000,
  // No name of this machine is a wrong one, and gets the answer to that.
  requireHostHeader: false,
}

/** Listens on 127.0.0.1 at the first of the ports that is free; undefined when none is. */
export async function openLoopback(ports: readonly number[], parts: LoopbackParts): Promise<Loopback | undefined> {
  for (const [index, port] of ports.entries()) {
    const server = createServer(limits)
    if (!(await isListening(server, port))) continue
    const closed = new Promise((resolve) => server.once('close', resolve))
    const close = async () => {
      server.close()
      server.closeAllConnections()
      await closed
    }
    server.on('error', () => void close())
    boundConnections(server, maxWaiting)
    // Each has a count of its own: any page can navigate here, and must not use up what the sign-in page needs.
    const isTooFast = { page: rateLimit(requestsPerSecond), navigation: rateLimit(requestsPerSecond) }
    server.on('request', (request, response) => {
      void answerLoopback({ request, response, port, isTooFast }, parts)
    })
    return { port, takenPorts: ports.slice(0, index), closed, close }
  }
  return undefined
}

/** Whatever keeps us from a port, it is not ours. */
async function isListening(server: Server, port: number): Promise<boolean> {
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  }
}
