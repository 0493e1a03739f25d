import { checkViewOperations } from '@muster/contract/operations/console-checks.ts'
import type { FastifyInstance } from 'fastify'
import type { Reader } from '../../base/db/transact.ts'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { createDraft } from '../../checks/drafts/create-draft.ts'
import { editDraft } from '../../checks/drafts/edit-draft.ts'
import { judgeUnsavedDraft, readJudgement } from '../../checks/drafts/judge-draft.ts'
import { presentDraft } from '../../checks/drafts/present.ts'
import { publishDraft } from '../../checks/drafts/publish-draft.ts'
import { findDraft } from '../../checks/drafts/queries.ts'
import { endpoint } from '../../http/endpoint.ts'

async function viewOf(reader: Reader, organizationId: string, draftId: string) {
  const row = orNotFound(await findDraft(reader, organizationId, draftId))
  return {
    ...presentDraft(row),
    interval_minutes: Math.round(row.interval_seconds / 60),
    options: JSON.stringify(row.option_definitions),
    judgement: await readJudgement(reader, row),
  }
}

/** Writing checks of one's own; the API reads and deletes drafts. */
export function draftViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...checkViewOperations.getDraftView,
    run: ({ db, organizationId, params: { draftId } }) => viewOf(db, organizationId, draftId),
  })

  endpoint(scope, {
    ...checkViewOperations.createCustomCheckDraft,
    run: async ({ db, body: { input, from_check: checkId }, context }) => ({
      id: await transact(db, (tx) => createDraft(tx, { input, checkId }, context)),
    }),
  })

  endpoint(scope, {
    ...checkViewOperations.editCustomCheckDraft,
    run: ({ db, organizationId, params: { draftId }, body: input, context }) =>
      transact(db, async (tx) => {
        await editDraft(tx, { draftId, input }, context)
        return viewOf(tx, organizationId, draftId)
      }),
  })

  endpoint(scope, {
    ...checkViewOperations.judgeCustomCheckDraft,
    run: ({ db, organizationId, params: { draftId }, body: input }) =>
      judgeUnsavedDraft(db, { organizationId, draftId, input }),
  })

  endpoint(scope, {
    ...checkViewOperations.publishCustomCheckDraft,
    run: async ({ db, params: { draftId }, context }) => ({
      check_id: await transact(db, (tx) => publishDraft(tx, { draftId }, context)),
    }),
  })
}
