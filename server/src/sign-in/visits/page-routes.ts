import type { FastifyInstance } from 'fastify'
import { abandonmentOf } from '../../http/abandonment.ts'
import { drawPage, drawRegion, drawReturnPage } from '../page/draw-page.ts'
import { sessionWaits } from './session-waits.ts'
import { page } from './sign-in-scheme.ts'
import type { VisitContext } from './visit-context.ts'
import type { Pages } from './visit-routes.ts'

/** The page of a sign-in, the part of it that changes, and the news of a change. */
export function pageRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  const { assets, files, send, shown, visited, viewOf } = pages
  const onError = (error: unknown) => context.warn({ err: error }, 'Open sign-ins could not be looked at')
  const waits = sessionWaits(context.db, context.now, onError)
  // Before the server waits for its requests to end.
  scope.addHook('preClose', async () => waits.stop())

  scope.get('/signin/assets/:name', { config: page }, (request, reply) => {
    const file = files.get((request.params as { name: string }).name)
    if (!file) return reply.callNotFound()
    const isPacked = file.packed && /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))
    if (isPacked) reply.header('content-encoding', 'br')
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .type(file.type)
      .send(isPacked ? file.packed : file.bytes)
  })
  scope.get('/signin/return', { config: page }, (_request, reply) => send(reply, drawReturnPage(assets)))
  scope.get('/signin/:id', { config: page }, async (request, reply) => {
    const visit = await shown(request, reply)
    return visit ? send(reply, drawPage(await viewOf(visit, request, { isWholePage: true }), assets)) : reply
  })
  scope.get('/signin/:id/region', { config: page }, async (request, reply) => {
    const visit = await shown(request, reply)
    return visit ? send(reply, drawRegion(await viewOf(visit, request))) : reply
  })
  scope.get('/signin/:id/news', { config: page }, async (request, reply) => {
    const visit = await visited(request, reply)
    if (!visit) return reply
    const { seen } = request.query as { seen?: unknown }
    const caller = { address: request.ip, signal: abandonmentOf(reply) }
    const mark = await waits.markAfter(visit.session, typeof seen === 'string' ? seen : '', caller)
    if (mark === undefined) return reply.code(429).header('retry-after', '5').send()
    return reply.header('cache-control', 'no-store').send({ mark })
  })
}
