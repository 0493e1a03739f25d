import type { FastifyInstance } from 'fastify'
import { giveChallenge } from '../../agents/device-proofs/give-challenge.ts'
import { transact } from '../../base/db/transact.ts'
import { identifierOf } from '../../http/record-id.ts'
import { occasionOf } from '../../http/request-source.ts'
import { drawRegion } from '../page/draw-page.ts'
import { type Act, actOnSession } from '../sessions/act-on-session.ts'
import { cancelSession } from '../sessions/cancel-session.ts'
import { noteUndetected } from '../sessions/note-undetected.ts'
import { proveSession } from '../sessions/prove-session.ts'
import { findSession, findVisited, type VisitedSession } from '../sessions/session-queries.ts'
import { waiveLoop } from '../sessions/waive-loop.ts'
import { enterCode } from './code-routes.ts'
import { finishPathOf } from './finish-path.ts'
import { type FormOf, formOptions, isForm, type PageForm, readForm } from './form-routes.ts'
import { rememberAgent } from './known-agent.ts'
import { goUpstream } from './upstream-routes.ts'
import type { VisitContext } from './visit-context.ts'
import type { Find, Pages, Work } from './visit-routes.ts'

/** What a form of the page does; `ofVisited` where the row of the sign-in alone is enough for it. */
type Step<Name extends PageForm> = Work<Name> | { ofVisited: Work<Name, VisitedSession> }

/** Each form that the page of a sign-in sends, in the order of a sign-in, and what it does. One without a step is a type error. */
function stepsOf(context: VisitContext, pages: Pages): { readonly [Name in PageForm]: Step<Name> } {
  const act = actOf(context)
  return {
    // Who signs in, as an upstream says.
    identify: goUpstream(context, pages),
    // On which device.
    challenge: { ofVisited: giveChallengeOf(context) },
    proof: { ofVisited: takeProof(context, pages) },
    undetected: ({ session, form }) => transact(context.db, (tx) => noteUndetected(tx, session, form, context.now())),
    // Whose it is.
    register: act(({ message = '' }) => ({ kind: 'register', message })),
    'withdraw-registration': act(() => ({ kind: 'withdraw_registration' })),
    // What keeps it from the application.
    seen: act(({ issue_ids: ids }) => ({ kind: 'seen', issueIds: ids.map(identifierOf) })),
    recheck: act(() => ({ kind: 'recheck' })),
    snooze: act(({ issue_id: id }) => ({ kind: 'snooze', issueId: identifierOf(id) })),
    exemption: act(({ issue_id: id, message }) => ({ kind: 'exemption', issueId: identifierOf(id), message })),
    withdraw: act(({ request_id: id }) => ({ kind: 'withdraw', requestId: identifierOf(id) })),
    code: enterCode(context, pages),
    // On to the application, or back to it.
    'once-more': ({ session }) => waiveLoop(context.db, session, context.now()),
    cancel: cancel(context),
  }
}

/** Takes what the page of a sign-in sends. */
export function stepRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  const steps = stepsOf(context, pages)
  const take = <Name extends PageForm>(name: Name, step: Step<Name>) =>
    typeof step === 'function'
      ? takeForm(scope, pages, { name, find: findSession, work: step })
      : takeForm(scope, pages, { name, find: findVisited, work: step.ofVisited })
  for (const name of Object.keys(steps) as PageForm[]) take(name, steps[name])
}

function takeForm<Name extends PageForm, Session extends VisitedSession>(
  scope: FastifyInstance,
  { visitedAs }: Pages,
  { name, find, work }: { name: Name; find: Find<Session>; work: Work<Name, Session> },
): void {
  scope.post(`/signin/:id/${name}`, formOptions(name), async (request, reply) => {
    const visit = await visitedAs(request, reply, find)
    if (!visit) return reply
    const answer = await work({ ...visit, form: readForm<Name>(request), request }, reply)
    if (reply.sent) return reply
    return isForm(request) ? reply.redirect(`/signin/${visit.session.id}`, 303) : reply.send(answer ?? {})
  })
}

/** What a person does on the page by the commands that the API has. */
const actOf =
  (context: VisitContext) =>
  <Name extends PageForm>(actOfForm: (form: FormOf<Name>) => Act): Work<Name> =>
  ({ session, form, request }) =>
    actOnSession(context.db, session, actOfForm(form), occasionOf(request, context.now()))

const giveChallengeOf =
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
  async ({ session, request }, reply) => {
    const { organization_id: organizationId, id } = session
    const isUnserved = session.state === 'identifying' && session.upstream?.failure === 'unavailable'
    const ended = { organizationId, id, ...(isUnserved && { error: 'temporarily_unavailable' }) }
    await transact(context.db, (tx) => cancelSession(tx, ended, occasionOf(request, context.now())))
    return reply.redirect(finishPathOf(session), 303)
  }
