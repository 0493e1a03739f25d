import type { FastifyInstance } from 'fastify'
import { occasionOf } from '../../http/request-source.ts'
import { drawCodePage } from '../page/draw-page.ts'
import { useBypassCode } from '../sessions/use-bypass-code.ts'
import { page } from './sign-in-scheme.ts'
import type { VisitContext } from './visit-context.ts'
import type { Pages, Work } from './visit-routes.ts'

/** The page of a sign-in on which a code from IT is entered. */
export function codeRoutes(scope: FastifyInstance, pages: Pages): void {
  scope.get('/signin/:id/code', { config: page }, async (request, reply) => {
    const shown = await pages.shown(request, reply)
    if (!shown) return reply
    const view = await pages.viewOf(shown, request)
    const isOffered = view.code !== null && view.code.reason === null
    if (!isOffered) return reply.redirect(`/signin/${shown.session.id}`, 303)
    return pages.send(reply, drawCodePage(view, { isWrong: false }, pages.assets))
  })
}

/** Lets the person in by the code that they typed, or shows its page once more. */
export const enterCode =
  (context: VisitContext, pages: Pages): Work<'code'> =>
  async ({ place, session, form, request }, reply) => {
    const isAccepted = await useBypassCode(context, session, {
      text: form.code,
      occasion: occasionOf(request, context.now()),
    })
    if (isAccepted) return reply.redirect(`/signin/${session.id}`, 303)
    const shown = await pages.shownNow({ place, session }, reply)
    if (!shown) return reply
    return pages.send(
      reply.code(422),
      drawCodePage(await pages.viewOf(shown, request), { isWrong: true }, pages.assets),
    )
  }
