import { checkViewOperations } from '@muster/contract/operations/console-checks.ts'
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

export function checkViewRoutes(scope: FastifyInstance): void {
  configurationViewRoutes(scope)
  issueViewRoutes(scope)
  requestViewRoutes(scope)
  catalogueViewRoutes(scope)
  draftViewRoutes(scope)

  listEndpoint(scope, {
    ...checkViewOperations.listCheckViews,
    list: listCheckViews,
    present: describeCheck,
    cursorOf: placeOf,
  })

  endpoint(scope, {
    ...checkViewOperations.getCheckFacts,
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
    ...checkViewOperations.setCheckTags,
    run: ({ db, params: { checkId }, body: { names }, context }) =>
      transact(db, (tx) => setCheckTags(tx, { checkId, names }, context)),
  })

  endpoint(scope, {
    ...checkViewOperations.deleteCustomCheck,
    run: ({ db, params: { checkId }, context }) => transact(db, (tx) => deleteCustomCheck(tx, { checkId }, context)),
  })
}
