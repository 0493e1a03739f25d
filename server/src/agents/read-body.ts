import type { IncomingMessage } from 'node:http'

/** Bodies of the endpoints that take large ones are held in at most this much memory together. */
const mostBytesHeld = 192 * 2 ** 20
const smallLimit = 64 * 1024

export type BodyReader = {
  /**
   * The whole body; undefined when it is longer than `limit`, a 503 when memory is short. What is too much is read
   * all the same and dropped: an agent reads no answer before it has sent everything.
   */
  read: (message: IncomingMessage, limit: number, done: (error: Error | null, bytes?: Buffer) => void) => void
  /** To be called once with the length of each body that was read with a limit above 64 kB, when it is done with. */
  release: (length: number) => void
}

const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })
const nothing = Buffer.alloc(0)

export function bodyReader(): BodyReader {
  let held = 0

  function read(message: IncomingMessage, limit: number, done: (error: Error | null, bytes?: Buffer) => void): void {
    const isCounted = limit > smallLimit
    let chunks: Buffer[] = []
    let length = 0
    let isRead = false
    let refused: 'too long' | 'busy' | undefined

    function drop(reason: 'too long' | 'busy'): void {
      refused = reason
      chunks = []
      if (isCounted) held -= length
    }

    message.on('data', (chunk: Buffer) => {
      if (refused) return
      length += chunk.length
      if (isCounted) held += chunk.length
      if (length > limit) drop('too long')
      else if (isCounted && held > mostBytesHeld) drop('busy')
      else chunks.push(chunk)
    })
    message.on('end', () => {
      isRead = true
      if (refused === 'busy') done(refusal(503, 'The service is busy'))
      else if (refused) done(null)
      else done(null, chunks.length > 1 ? Buffer.concat(chunks, length) : (chunks[0] ?? nothing))
    })
    message.on('error', () => {
      if (isRead) return
      if (!refused) drop('busy')
      done(refusal(400, 'The connection broke off'))
    })
  }

  return {
    read,
    release: (length) => {
      held -= length
    },
  }
}
