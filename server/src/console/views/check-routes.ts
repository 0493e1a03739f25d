import { CheckFacts, CheckTags, CheckView, CheckViewListing } from '@muster/contract/console-checks.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { deleteCustomCheck } from '../../checks/definitions/delete-custom-check.ts'
import { setCheckTags } from '../../checks/definitions/set-check-tags.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { catalogueViewRoutes } from './catalogue-routes.ts'
import { countOpenIssues, countStatuses, findCheckFacts, listCheckViews } from './check-queries.ts'
import { placeOf } from './chosen-order.ts'
import { configurationViewRoutes } from './configuration-routes.ts'
import { describeCheck, describeCheckFacts } from './describe-checks.ts'
import { draftViewRoutes } from './draft-routes.ts'
import { issueViewRoutes } from './issue-routes.ts'
import { requestViewRoutes } from './request-routes.ts'

const tag = 'Console'

export function checkViewRoutes(scope: FastifyInstance): void {
  configurationViewRoutes(scope)
  issueViewRoutes(scope)
  requestViewRoutes(scope)
  catalogueViewRoutes(scope)
  draftViewRoutes(scope)

  listEndpoint(scope, {
    path: '/views/checks',
    operationId: 'listCheckViews',
    summary: 'List checks, by name unless another order is asked for, with how many devices pass',
    tag,
    record: CheckView,
    options: CheckViewListing,
    list: listCheckViews,
    present: describeCheck,
    cursorOf: placeOf,
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/checks/:checkId',
    operationId: 'getCheckFacts',
    summary: 'Read what the page of a check shows',
    tag,
    permission: 'read',
    answer: CheckFacts,
    run: async ({ db, organizationId, params: { checkId }, now }) => {
      const [row, counts, open] = await Promise.all([
        findCheckFacts(db, organizationId, checkId),
        countStatuses(db, organizationId, checkId, now),
        countOpenIssues(db, organizationId, checkId),
      ])
      return describeCheckFacts(orNotFound(row), counts, open)
    },
  })

  endpoint(scope, {
    method: 'POST',
    path: '/views/checks/:checkId/tags',
    operationId: 'setCheckTags',
    summary: 'Give a check its tags',
    tag,
    permission: 'configure_checks',
    body: CheckTags,
    run: ({ db, organizationId, params: { checkId }, body: { names }, actor, now }) =>
      transact(db, (tx) => setCheckTags(tx, { organizationId, checkId, names, actor, now })),
  })

  endpoint(scope, {
    method: 'DELETE',
    path: '/views/checks/:checkId',
    operationId: 'deleteCustomCheck',
    summary: 'Delete a check of one’s own and resolve its issues',
    tag,
    permission: 'manage_custom_check_drafts',
    run: ({ db, organizationId, params: { checkId }, actor, now }) =>
      transact(db, (tx) => deleteCustomCheck(tx, { organizationId, checkId, actor, now })),
  })
}
