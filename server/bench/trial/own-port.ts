import { once } from 'node:events'
import net from 'node:net'

/** The settings of a server at an address that is known before it starts, as the requests of sign-ins name it. */
export async function ownPort(): Promise<{ PORT: string; MUSTER_BASE_URL: string }> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  const port = String(typeof address === 'object' && address ? address.port : 0)
  return { PORT: port, MUSTER_BASE_URL: `http://localhost:${port}` }
}
