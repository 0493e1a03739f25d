import { checkOperations } from '@muster/contract/operations/checks.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { deleteDraft } from './delete-draft.ts'
import { presentDraft } from './present.ts'
import { findDraft, listDrafts } from './queries.ts'

export function customCheckDraftRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...checkOperations.listCustomCheckDrafts,
    list: listDrafts,
    present: presentDraft,
  })

  endpoint(app, {
    ...checkOperations.getCustomCheckDraft,
    run: async ({ db, organizationId, params }) =>
      presentDraft(orNotFound(await findDraft(db, organizationId, params.id))),
  })

  endpoint(app, {
    ...checkOperations.deleteCustomCheckDraft,
    run: ({ db, params, context }) =>
      transact(db, async (tx) => presentDraft(await deleteDraft(tx, { draftId: params.id }, context))),
  })
}
