import { type SavedView, SavedViewCreation, type SavedViewPage, savedViewPages } from '@muster/contract/saved-views.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../db/transact.ts'
import { fail } from '../errors.ts'
import { deleteView } from '../saved-views/delete-view.ts'
import { listSavedViews } from '../saved-views/queries.ts'
import { saveView } from '../saved-views/save-view.ts'
import { actorOf } from './admit-session.ts'
import type { Gate } from './door-routes.ts'
import { type SessionCall, sessionRoute } from './endpoint-routes.ts'

/** The filters of lists that administrators have given names. */
export function savedViewRoutes(scope: FastifyInstance, gate: Gate): void {
  const { db } = scope.kit
  sessionRoute(scope, gate, {
    method: 'GET',
    path: '/session/saved_views/:page',
    requires: 'read',
    run: async (call): Promise<{ data: SavedView[] }> => {
      const page = pageOf(call)
      return { data: await listSavedViews(db, { ...placeOf(call), page }) }
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/saved_views',
    requires: 'read',
    body: SavedViewCreation,
    run: (call): Promise<SavedView> => transact(db, (tx) => saveView(tx, call.body, placeOf(call))),
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/saved_views/:id',
    requires: 'read',
    run: async (call) => {
      await transact(db, (tx) => deleteView(tx, call.params['id'] ?? '', placeOf(call)))
      return call.reply.code(204).send()
    },
  })
}

function placeOf({ session, now }: SessionCall<unknown>) {
  const { organization_id: organizationId, admin_user_id: adminUserId } = session
  return { organizationId, adminUserId, actor: actorOf(session), now }
}

const pageOf = ({ params }: SessionCall<unknown>): SavedViewPage =>
  savedViewPages.find((name) => name === params['page']) ?? fail('not_found')
