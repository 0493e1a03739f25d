import type { ServerResponse } from 'node:http'
import { sessionOperations } from '@muster/contract/operations/console-sessions.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { fail } from '../../base/errors.ts'
import { openChangeWatch } from '../../console/live/watch-changes.ts'
import { sessionRoute } from '../../http/session-endpoint.ts'
import type { ConsoleGuard } from './session-scheme.ts'
import { sessionStanding } from './session-standing.ts'

const eventStream = 'text/event-stream; charset=utf-8'
const lookEveryMs = 1_000
/** Also how long a session that has run out is still followed: nothing is written when it does. */
const beatEveryMs = 5_000
const maxPerSession = 8
/** What a browser that reads nothing may leave waiting here. */
const maxWaitingBytes = 65_536

/** Tells the pages which records to read again, as server-sent events (HTML Living Standard, 9.2). */
export function liveRoutes(scope: FastifyInstance, guard: ConsoleGuard): void {
  const { db, log, clock } = scope.kit
  const onError = (error: unknown) => log.warn({ err: error }, 'Could not check for changes for the console')
  const watch = openChangeWatch(db, { everyMs: lookEveryMs, onError })
  const open = new Map<string, number>()
  const stopping = new AbortController()
  scope.addHook('preClose', async () => {
    stopping.abort()
    watch.stop()
  })

  sessionRoute(scope, {
    ...sessionOperations.followChanges,
    run: async ({ session, reply }) => {
      if (reply.request.method === 'HEAD') return reply.type(eventStream).send('')
      const { session_id: sessionId, organization_id: organizationId } = session
      const count = open.get(sessionId) ?? 0
      if (count >= maxPerSession) fail('rate_limited', { message: 'This session has too many pages open.' })
      const secret = guard.cookie.read(reply.request.headers.cookie) ?? fail('not_signed_in')
      // A page that left while it was admitted is not followed: nothing would report its leaving anymore.
      if (reply.raw.destroyed || stopping.signal.aborted) {
        reply.hijack().raw.destroy()
        return
      }
      open.set(sessionId, count + 1)
      const response = begin(reply)
      const check = () =>
        sessionStanding(scope.kit, session, { secret, now: clock() }).then(
          (standing) => tellStanding(response, standing),
          // The database does not answer; the page learns that from its next request.
          () => response.end(),
        )
      const ignore = watch.listen(organizationId, (changed) => {
        send(response, 'changed', { topics: changed })
        // Ending a session is an entry of the audit log, and so is what changes whom it lets in.
        if (changed.includes('audit')) void check()
      })
      const beat = setInterval(() => void check(), beatEveryMs).unref()
      const end = () => response.end()
      stopping.signal.addEventListener('abort', end, { once: true })
      response.once('close', () => {
        clearInterval(beat)
        ignore()
        stopping.signal.removeEventListener('abort', end)
        const left = (open.get(sessionId) ?? 1) - 1
        if (left > 0) open.set(sessionId, left)
        else open.delete(sessionId)
      })
    },
  })
}

function begin(reply: FastifyReply): ServerResponse {
  reply.hijack()
  const headers = reply.getHeaders() as Record<string, string>
  reply.raw.writeHead(200, {
    ...headers,
    'content-type': eventStream,
    'cache-control': 'no-store',
    // For proxies that would otherwise collect what is sent.
    'x-accel-buffering': 'no',
  })
  // A page that hears nothing of this knows that something on the way holds back what is sent.
  reply.raw.write('retry: 3000\n\nevent: here\ndata: {}\n\n')
  return reply.raw
}

function tellStanding(response: ServerResponse, standing: Awaited<ReturnType<typeof sessionStanding>>): void {
  if (standing === 'open') send(response, 'here', {})
  else if (standing === 'ended') response.end('event: ended\ndata: {}\n\n')
  // The page reconnects: with the new secret, with other rights, or to learn what is missing.
  else response.end()
}

const send = (response: ServerResponse, event: string, data: object): void =>
  write(response, `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > maxWaitingBytes) response.destroy()
  else if (!response.writableEnded) response.write(text)
}
