import http from 'node:http'

/** One address for several servers: each request goes to the next of them. */
export async function openBalancer() {
  const servers: URL[] = []
  const agent = new http.Agent({ keepAlive: true })
  const held = new Map<string, string>()
  let taken = 0
  const balancer = http.createServer((request, response) => {
    taken += 1
    const server = servers[taken % servers.length] ?? new URL('http://127.0.0.1:9')
    const { hostname, port } = server
    const { url: path, method, headers } = request
    held.set(path ?? '', server.origin)
    response.once('close', () => held.delete(path ?? ''))
    const passed = http.request({ agent, host: hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      // What was cut off there is cut off here.
      answer.on('error', () => response.destroy())
    })
    passed.on('error', () => response.writeHead(502).end())
    request.pipe(passed)
  })
  // A connection that ends while it is idle fails the request that is just sent on it, which no server of ours has seen.
  balancer.keepAliveTimeout = 0
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve))
  const address = balancer.address()
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    lead: (...origins: readonly string[]) => servers.push(...origins.map((origin) => new URL(origin))),
    /** The server that has a request of such a path and has not answered it. */
    heldBy: (path: RegExp) => [...held].find(([url]) => path.test(url))?.[1],
    /** Sends nothing there any more, as after a failed health check. */
    drop: (origin: string) => {
      const at = servers.findIndex((server) => server.origin === origin)
      if (at >= 0) servers.splice(at, 1)
    },
    stop: () =>
      new Promise<void>((resolve) => {
        agent.destroy()
        balancer.close(() => resolve())
        balancer.closeAllConnections()
      }),
  }
}
