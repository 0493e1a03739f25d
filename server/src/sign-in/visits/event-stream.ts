import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { networkOf } from '../../base/network-of.ts'
import type { SignInSession } from '../sessions/session-queries.ts'
import type { SessionWatch } from './session-watch.ts'

const maxOfSession = 2
/** Pages of one address whose person nobody has signed for. */
const maxOfNetwork = 6
const beatMs = 20_000
/** What a browser that reads nothing may leave waiting here. */
const maxWaitingBytes = 16_384

/** Server-sent events (HTML Living Standard §9.2): each says that the page of a sign-in has something to read again. */
export function openEventStreams(watch: SessionWatch) {
  const counts = new Map<string, number>()
  const open = new Set<ServerResponse>()

  function take(keys: readonly string[]): () => void {
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    return () => {
      for (const key of keys) {
        const left = (counts.get(key) ?? 1) - 1
        if (left > 0) counts.set(key, left)
        else counts.delete(key)
      }
    }
  }

  /** Follows a sign-in on the response that `begin` opens; false where the session or its address has enough streams. */
  function follow(session: SignInSession, address: string, begin: () => ServerResponse): boolean {
    const { id, organization_id: organizationId, evidence } = session
    const [ofSession, ofNetwork] = [`session ${id}`, `network ${networkOf(address)}`]
    const isKnown = evidence === 'asserted'
    if ((counts.get(ofSession) ?? 0) >= maxOfSession) return false
    if (!isKnown && (counts.get(ofNetwork) ?? 0) >= maxOfNetwork) return false
    let response: ServerResponse | undefined
    const ignore = watch.listen({ organizationId, id }, (mark) => response && send(response, mark))
    if (!ignore) return false
    const giveBack = take(isKnown ? [ofSession] : [ofSession, ofNetwork])
    const stream = begin()
    response = stream
    // A page whose process is gone is with another one after this.
    write(stream, 'retry: 1000\n\n')
    const beat = setInterval(() => write(stream, ': here\n\n'), beatMs).unref()
    open.add(stream)
    stream.once('close', () => {
      clearInterval(beat)
      ignore()
      giveBack()
      open.delete(stream)
    })
    return true
  }

  return {
    follow,
    stop(): void {
      watch.stop()
      for (const response of open) response.end()
    },
  }
}

/** The mark itself says more than the page may know. */
const send = (response: ServerResponse, mark: string): void =>
  write(response, `data: ${createHash('sha256').update(mark).digest('base64url').slice(0, 16)}\n\n`)

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > maxWaitingBytes) response.destroy()
  else if (!response.writableEnded) response.write(text)
}
