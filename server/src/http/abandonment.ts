import type { FastifyReply } from 'fastify'

/** Aborts when the connection has ended before the answer was written. */
export function abandonmentOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abort = () => void (raw.writableFinished || controller.abort())
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return controller.signal
}
