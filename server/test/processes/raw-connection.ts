import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'

/** What came back until the other side ended the connection, or nothing came for a while. */
export type RawAnswer = { text: string; isEnded: boolean }

export type RawConnection = {
  write(bytes: string | Buffer): void
  /** Ends the sending half only. */
  end(): void
  /** Breaks the connection without a farewell. */
  reset(): void
  answer(quietMs?: number): Promise<RawAnswer>
}

/** A connection on which anything can be said; over TLS with `ca`. */
export async function connectRaw(origin: string, ca?: string): Promise<RawConnection> {
  const port = Number(new URL(origin).port)
  const socket =
    ca === undefined
      ? net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      : tls.connect({ port, host: '127.0.0.1', servername: 'localhost', ca })
  let text = ''
  let isEnded = false
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('end', () => {
    isEnded = true
  })
  socket.on('close', () => {
    isEnded = true
  })
  await once(socket, ca === undefined ? 'connect' : 'secureConnect')
  // A server that ends the connection under a long write breaks it.
  socket.on('error', () => {})
  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    reset: () => {
      if (socket instanceof tls.TLSSocket) socket.destroy()
      else socket.resetAndDestroy()
    },
    async answer(quietMs = 10_000) {
      const signal = AbortSignal.timeout(quietMs)
      while (!isEnded && !isWhole(text) && !signal.aborted) {
        await Promise.race(['data', 'end', 'close'].map((event) => once(socket, event, { signal }))).catch(() => {})
      }
      return { text, isEnded }
    },
  }
}

/** Whether an answer with a Content-Length has arrived in full. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(text)?.[1]
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length)
}
