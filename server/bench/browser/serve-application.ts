import { once } from 'node:events'
import http from 'node:http'

export type Application = {
  callback: string
  /** The next callback that arrives, and when. */
  next: () => Promise<{ url: URL; atMs: number }>
  close: () => Promise<void>
}

/** The address of an application where people come back to after they have signed in. */
export async function serveApplication(): Promise<Application> {
  let arrived = (_: { url: URL; atMs: number }) => {}
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://application')
    if (url.pathname === '/callback') arrived({ url, atMs: performance.now() })
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Application</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    callback: `http://127.0.0.1:${port}/callback`,
    next: () =>
      new Promise((resolve) => {
        arrived = resolve
      }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
