import { once } from 'node:events'
import { createServer } from 'node:http'

/** A browser that gets an answer here runs on this machine: the port of the demo may be forwarded, this one is not. */
export async function openProbe(): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer((_request, response) => response.writeHead(204, { connection: 'close' }).end())
  server.maxConnections = 20
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port was given')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
