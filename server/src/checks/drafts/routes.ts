import { CustomCheckDraft, customCheckDraftSearch } from '@muster/contract/custom-check-drafts.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { deleteDraft } from './delete-draft.ts'
import { presentDraft } from './present.ts'
import { findDraft, listDrafts } from './queries.ts'

export function customCheckDraftRoutes(app: FastifyInstance): void {
  const common = { tag: 'Custom check drafts', feature: 'custom_checks', versions: ['2026-04-07'] } as const

  listEndpoint(app, {
    ...common,
    path: '/custom_check_drafts',
    operationId: 'listCustomCheckDrafts',
    summary: 'List drafts of custom checks',
    record: CustomCheckDraft,
    search: customCheckDraftSearch,
    list: listDrafts,
    present: presentDraft,
  })

  endpoint(app, {
    ...common,
    method: 'GET',
    path: '/custom_check_drafts/:id',
    operationId: 'getCustomCheckDraft',
    summary: 'Read a draft of a custom check',
    permission: 'read',
    answer: CustomCheckDraft,
    run: async ({ db, organizationId, params }) =>
      presentDraft(orNotFound(await findDraft(db, organizationId, params.id))),
  })

  endpoint(app, {
    ...common,
    method: 'DELETE',
    path: '/custom_check_drafts/:id',
    operationId: 'deleteCustomCheckDraft',
    summary: 'Delete a draft of a custom check',
    description: 'Answers the draft as it was. The check that was published from it stays.',
    permission: 'manage_custom_check_drafts',
    answer: CustomCheckDraft,
    run: ({ db, organizationId, params, actor, now }) =>
      transact(db, async (tx) =>
        presentDraft(await deleteDraft(tx, { organizationId, draftId: params.id, actor, now })),
      ),
  })
}
