import type { IncomingMessage } from 'node:http'

/** Bodies under way take at most this much memory together. */
const mostBytesHeld = 192 * 2 ** 20

export type BodyReader = {
  /**
   * The whole body; undefined when it is longer than `limit`, a 503 when memory is short. What is too much is read
   * all the same and dropped: an agent reads no answer before it has sent everything.
   */
  read: (message: IncomingMessage, limit: number, done: (error: Error | null, bytes?: Buffer) => void) => void
  /** To be called once with the length of each body that was read, when it is no longer needed. */
  release: (length: number) => void
}

const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })
const nothing = Buffer.alloc(0)

export function bodyReader(): BodyReader {
  let held = 0

  function read(message: IncomingMessage, limit: number, done: (error: Error | null, bytes?: Buffer) => void): void {
    let chunks: Buffer[] = []
    let length = 0
    let isDropped = false
    let isBusy = false
    let isDone = false
    const finish = (error: Error | null, bytes?: Buffer) => {
      if (isDone) return
      isDone = true
      if (bytes === undefined) held -= length
      done(error, bytes)
    }
    message.on('data', (chunk: Buffer) => {
      if (isDropped) return
      length += chunk.length
      held += chunk.length
      if (length <= limit && held <= mostBytesHeld) {
        chunks.push(chunk)
        return
      }
      isDropped = true
      isBusy = length <= limit
      chunks = []
      held -= length
      length = 0
    })
    message.on('end', () => {
      if (isBusy) return finish(refusal(503, 'The service is busy'))
      if (isDropped) return finish(null)
      finish(null, chunks.length === 1 ? chunks[0] : chunks.length === 0 ? nothing : Buffer.concat(chunks, length))
    })
    message.on('error', (error) => finish(error))
    message.on('close', () => finish(refusal(400, 'The connection broke off')))
  }

  return {
    read,
    release: (length) => {
      held -= length
    },
  }
}
