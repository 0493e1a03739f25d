import { once } from 'node:events'
import net from 'node:net'
import type { Hooks } from './muster-process.ts'

export type FreezingProxy = {
  /** The database's, by way of the proxy. */
  readonly url: string
  /** Both ends of each connection hear nothing from now on, and are not told: as of a machine that loses power. */
  freeze(): void
  /** Takes new connections, and never answers them. */
  freezeNew(): void
  /** Where new connections lead from now on. */
  leadTo(url: string): void
}

/** Between a process and its database. It is gone, with its connections, after the test. */
export async function openFreezingProxy(hooks: Hooks, databaseUrl: string): Promise<FreezingProxy> {
  const sockets = new Set<net.Socket>()
  let target: net.NetConnectOpts | undefined
  const keep = (socket: net.Socket): net.Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }
  const server = net.createServer({ pauseOnConnect: true }, (near) => {
    keep(near)
    if (!target) return
    const far = keep(net.connect(target))
    near.pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  })
  const leadTo = (url: string) => {
    const { hostname, port } = new URL(url)
    target = { host: hostname, port: Number(port) }
  }
  leadTo(databaseUrl)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  hooks.after(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as net.AddressInfo
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    freeze() {
      // A socket that is not read sees no end either.
      for (const socket of sockets) socket.unpipe().pause()
    },
    freezeNew() {
      target = undefined
    },
    leadTo,
  }
}
