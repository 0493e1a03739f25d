import type { FastifyInstance } from 'fastify'
import { drawCodePage } from '../page/draw-page.ts'
import { useBypassCode } from '../sessions/use-bypass-code.ts'
import { form, type Pages, page } from './page-routes.ts'
import type { VisitContext } from './visit-context.ts'

/** The page of a sign-in on which a code from IT is entered. */
export function codeRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  scope.get('/signin/:id/code', { config: page }, async (request, reply) => {
    const shown = await pages.shown(request, reply)
    if (!shown) return reply
    const view = await pages.viewOf(shown, request)
    const isOffered = view.code !== null && view.code.reason === null
    if (!isOffered) return reply.redirect(`/signin/${shown.session.id}`, 303)
    return pages.send(reply, drawCodePage(view, { isWrong: false }, pages.assets))
  })
  scope.post('/signin/:id/code', { config: form, bodyLimit: 4 * 1024 }, async (request, reply) => {
    const visit = await pages.visited(request, reply)
    if (!visit) return reply
    const { code } = Object(request.body) as { code?: unknown }
    const text = typeof code === 'string' ? code : ''
    const isAccepted = await useBypassCode(context, visit.session, { text, now: context.now() })
    if (isAccepted) return reply.redirect(`/signin/${visit.session.id}`, 303)
    const shown = await pages.shownNow(visit, reply)
    if (!shown) return reply
    return pages.send(
      reply.code(422),
      drawCodePage(await pages.viewOf(shown, request), { isWrong: true }, pages.assets),
    )
  })
}
