import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import { type SavedView, type SavedViewPage, savedViewPages } from '@muster/contract/saved-views.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordIdOf, type SessionCall, sessionRoute } from '../../http/session-endpoint.ts'
import { deleteView } from './delete-view.ts'
import { listSavedViews } from './queries.ts'
import { saveView } from './save-view.ts'

/** The filters of lists that administrators have given names. */
export function savedViewRoutes(scope: FastifyInstance): void {
  const { db } = scope.kit
  sessionRoute(scope, {
    ...settingOperations.listSavedViews,
    run: async (call): Promise<{ data: SavedView[] }> => {
      const { organization_id: organizationId, admin_user_id: adminUserId } = call.session
      return { data: await listSavedViews(db, { organizationId, adminUserId, page: pageOf(call) }) }
    },
  })
  sessionRoute(scope, {
    ...settingOperations.createSavedView,
    run: (call): Promise<SavedView> =>
      transact(db, (tx) => saveView(tx, call.body, call.session.admin_user_id, call.context)),
  })
  sessionRoute(scope, {
    ...settingOperations.deleteSavedView,
    run: async (call) => {
      const deletion = { id: recordIdOf(call), adminUserId: call.session.admin_user_id }
      await transact(db, (tx) => deleteView(tx, deletion, call.context))
    },
  })
}

const pageOf = ({ params }: SessionCall<unknown>): SavedViewPage =>
  savedViewPages.find((name) => name === params['page']) ?? fail('not_found')
