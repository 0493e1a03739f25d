import net from 'node:net'

const mebibyte = 2 ** 20
const lengths = [16 * mebibyte, mebibyte, 64 * 1024, 1024]
const counts = [11, 17, 17, 66]
const start = Buffer.from('{"data":"')
const filler = Buffer.alloc(16 * mebibyte, 'x')
const againMs = 250

/** How many connections hold a body back at a time. */
export const holders = counts.reduce((sum, count) => sum + count, 0)

/**
 * Strangers who announce bodies of up to 16 MiB, send all but the last byte without any node key, and wait. Whoever is
 * cut off begins again a quarter of a second later. Returns what ends it.
 */
export function holdBack(origin: string): () => void {
  const { hostname, port } = new URL(origin)
  const sockets = new Set<net.Socket>()
  const timers = new Set<NodeJS.Timeout>()
  let isOver = false

  function open(length: number): void {
    const socket = net.connect({ host: hostname, port: Number(port) })
    sockets.add(socket)
    socket.write(`POST /api/v1/osquery/log HTTP/1.1\r\nHost: bench\r\nContent-Length: ${length}\r\n\r\n`)
    socket.write(start)
    socket.write(filler.subarray(0, length - 1 - start.length))
    socket.resume()
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      if (isOver) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        open(length)
      }, againMs)
      timers.add(timer)
    })
  }

  for (const [index, length] of lengths.entries()) {
    for (let count = 0; count < (counts[index] ?? 0); count += 1) open(length)
  }
  return () => {
    isOver = true
    for (const timer of timers) clearTimeout(timer)
    for (const socket of sockets) socket.destroy()
  }
}
