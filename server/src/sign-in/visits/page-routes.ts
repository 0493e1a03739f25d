import type { FastifyInstance, FastifyReply } from 'fastify'
import { giveChallenge } from '../../agents/device-proofs/give-challenge.ts'
import { transact } from '../../base/db/transact.ts'
import { abandonmentOf } from '../../http/abandonment.ts'
import { identifierOf } from '../../http/record-id.ts'
import { occasionOf } from '../../http/request-source.ts'
import { drawPage, drawRegion, drawReturnPage } from '../page/draw-page.ts'
import { type Act, actOnSession } from '../sessions/act-on-session.ts'
import { cancelSession } from '../sessions/cancel-session.ts'
import { noteUndetected } from '../sessions/note-undetected.ts'
import { proveSession } from '../sessions/prove-session.ts'
import { findVisited, type VisitedSession } from '../sessions/session-queries.ts'
import { waiveLoop } from '../sessions/waive-loop.ts'
import { finishPathOf } from './finish-path.ts'
import type { FormOf, PageForm } from './form-routes.ts'
import { rememberAgent } from './known-agent.ts'
import { sessionWaits } from './session-waits.ts'
import { signIns } from './sign-in-scheme.ts'
import type { VisitContext } from './visit-context.ts'
import type { Pages, Visit, Work } from './visits.ts'

export const page = { scheme: signIns, kind: 'page', origin: 'any', isChatty: true } as const

/** The page of a sign-in, and what its script and forms ask for, from the first question to the application. */
export function pageRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  showPage(scope, context, pages)
  const { onPost, onPostAs } = pages
  const act = <Name extends PageForm>(name: Name, actOf: (form: FormOf<Name>) => Act) =>
    onPost(name, ({ session, form, request }) =>
      actOnSession(context.db, session, actOf(form), occasionOf(request, context.now())),
    )

  // Which device this is.
  onPostAs('challenge', findVisited, challengeOf(context))
  onPostAs('proof', findVisited, takeProof(context, pages))
  onPost('undetected', ({ session, form }) =>
    transact(context.db, (tx) => noteUndetected(tx, session, form, context.now())),
  )
  // Whose it is, and what keeps it from the application.
  act('register', ({ message = '' }) => ({ kind: 'register', message }))
  act('withdraw-registration', () => ({ kind: 'withdraw_registration' }))
  act('seen', ({ issue_ids: ids }) => ({ kind: 'seen', issueIds: ids.map(identifierOf) }))
  act('recheck', () => ({ kind: 'recheck' }))
  act('snooze', ({ issue_id: id }) => ({ kind: 'snooze', issueId: identifierOf(id) }))
  act('exemption', ({ issue_id: id, message }) => ({ kind: 'exemption', issueId: identifierOf(id), message }))
  act('withdraw', ({ request_id: id }) => ({ kind: 'withdraw', requestId: identifierOf(id) }))
  // On to the application, or back to it.
  onPost('once-more', ({ session }) => waiveLoop(context.db, session, context.now()))
  onPost('cancel', cancel(context))
}

/** The page, the part of it that changes, and the news of a change. */
function showPage(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
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

const challengeOf =
  (context: VisitContext): Work<'challenge', VisitedSession> =>
  async ({ place: { organizationId, baseUrl }, session: { id: sid } }) => ({
    challenge: await giveChallenge(context, {
      organizationId,
      sid,
      origin: new URL(baseUrl).origin,
      now: context.now(),
    }),
  })

const takeProof =
  (context: VisitContext, { viewOf }: Pages): Work<'proof', VisitedSession> =>
  async ({ place, session, form, request }, reply) => {
    const given: unknown[] = Array.isArray(form.proofs) ? form.proofs : [form.proof]
    const proofs = given.filter((proof) => typeof proof === 'string')
    const proved = await proveSession(context.db, session, {
      proofs,
      tab: form.tab,
      origin: new URL(place.baseUrl).origin,
      occasion: occasionOf(request, context.now()),
    })
    if ('refusal' in proved) return reply.code(403).send({ error: { code: proved.refusal, detail: proved.detail } })
    const { deviceId, port, judged } = proved
    if (port !== null) reply.header('set-cookie', rememberAgent(context.secrets, place, { deviceId, port }))
    // What the page would ask for next. The proof counts already, so what cannot be read now is asked for then.
    const view = await viewOf({ place, session: proved.session, judged }, request).catch(() => undefined)
    return { state: judged.state, ...(view && { region: drawRegion(view) }) }
  }

const cancel =
  (context: VisitContext): Work<'cancel'> =>
  async ({ session, request }: Visit<'cancel'>, reply: FastifyReply) => {
    const { organization_id: organizationId, id } = session
    const isUnserved = session.state === 'identifying' && session.upstream?.failure === 'unavailable'
    const ended = { organizationId, id, ...(isUnserved && { error: 'temporarily_unavailable' }) }
    await transact(context.db, (tx) => cancelSession(tx, ended, occasionOf(request, context.now())))
    return reply.redirect(finishPathOf(session), 303)
  }
