import type { Socket } from 'node:net'

/**
 * For one answer with all that goes with it. The body, headers and trailers are counted elsewhere, to less; hints
 * before the answer (RFC 9110 §15.2) and extensions of chunks (RFC 9112 §7.1.1) are counted by no parser.
 */
const maxBytes = 262_144

/** Breaks a connection on which more comes in for one request. */
export function limitReading(socket: Socket) {
  let before = socket.bytesRead
  socket.on('readable', () => {
    if (socket.bytesRead - before > maxBytes) socket.destroy(new Error('The answer is too long'))
  })
  return {
    /** What comes from now on belongs to the next request. */
    restart: () => {
      before = socket.bytesRead
    },
  }
}
