import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { guardedDispatcher } from './guarded-fetch.ts'

type Download = {
  url: string
  /** A new file. */
  to: string
  /** A longer answer fails. */
  maxBytes: number
  signal: AbortSignal
  /** Is told how many bytes have come so far. */
  onBytes: (bytes: number) => void
}

/** The hash is of the whole file; of an answer that is no 200 nothing is written. */
export type Downloaded = { status: number; location: string | undefined; sha512: string }

/** How long a server may be silent. */
const silentMs = 60_000

/**
 * Writes what an address answers to a file, a piece at a time. The host of the address is one that the operator named: it may be
 * private, and plain http where its URL says so. No redirect is followed and no proxy used. Rejects where the answer does not come
 * whole, is too long, or the file cannot be written.
 */
export async function guardedDownload({ url, to, maxBytes, signal, onBytes }: Download): Promise<Downloaded> {
  const { origin, pathname, search } = new URL(url)
  const dispatcher = guardedDispatcher({ trustedOrigin: origin }, maxBytes)
  try {
    const answer = await dispatcher.request({
      ...{ origin, path: pathname + search, method: 'GET', signal },
      ...{ headersTimeout: silentMs, bodyTimeout: silentMs },
    })
    const { statusCode: status, headers, body } = answer
    const location = [headers['location']].flat()[0]
    const hash = createHash('sha512')
    if (status !== 200) return { status, location, sha512: '' }
    let size = 0
    await pipeline(
      body,
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece)
          size += piece.length
          onBytes(size)
          yield piece
        }
      },
      createWriteStream(to, { flags: 'wx', mode: 0o600 }),
      { signal },
    )
    return { status, location, sha512: hash.digest('base64') }
  } finally {
    await dispatcher.destroy()
  }
}
