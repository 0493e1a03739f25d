import { checkViewOperations } from '@muster/contract/operations/console-checks.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { deleteCustomCheck } from '../../checks/definitions/delete-custom-check.ts'
import { setCheckTags } from '../../checks/definitions/set-check-tags.ts'
import { listResultsOfCheck } from '../../compliance/results/result-queries.ts'
import { csvEndpoint } from '../../http/csv-endpoint.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { catalogueViewRoutes } from './catalogue-routes.ts'
import { countOpenIssues, countSinceUpgrade, countStatuses, findCheckFacts, listCheckViews } from './check-queries.ts'
import { placeOf } from './chosen-order.ts'
import { configurationViewRoutes } from './configuration-routes.ts'
import { describeCheck, describeCheckFacts } from './describe-checks.ts'
import { draftViewRoutes } from './draft-routes.ts'
import { holdViewRoutes } from './hold-routes.ts'
import { issueViewRoutes } from './issue-routes.ts'
import { csvOf, noteExport } from './note-export.ts'
import { checkColumns, resultColumns } from './record-export-columns.ts'
import { requestViewRoutes } from './request-routes.ts'

export function checkViewRoutes(scope: FastifyInstance): void {
  configurationViewRoutes(scope)
  holdViewRoutes(scope)
  issueViewRoutes(scope)
  requestViewRoutes(scope)
  catalogueViewRoutes(scope)
  draftViewRoutes(scope)

  listEndpoint(scope, {
    ...checkViewOperations.listCheckViews,
    list: listCheckViews,
    present: describeCheck,
    cursorOf: placeOf,
    csv: csvOf('checks', checkColumns),
  })

  csvEndpoint(scope, {
    ...checkViewOperations.exportCheckResults,
    fileName: 'check-results',
    list: listResultsOfCheck,
    cursorOf: ({ device_id: id }) => id,
    begin: async (call) => {
      const { checkId } = call.params
      const { name } = orNotFound(await findCheckFacts(call.db, call.organizationId, checkId))
      await noteExport(call, `the results of the check "${name}"`, { check: checkId })
      return resultColumns
    },
  })

  endpoint(scope, {
    ...checkViewOperations.getCheckFacts,
    run: async ({ db, organizationId, params: { checkId }, now }) => {
      const row = orNotFound(await findCheckFacts(db, organizationId, checkId))
      const [counts, openIssues, upgrade] = await Promise.all([
        countStatuses(db, organizationId, checkId, now),
        countOpenIssues(db, organizationId, checkId),
        countSinceUpgrade(db, organizationId, row, now),
      ])
      return describeCheckFacts(row, { counts, openIssues, upgrade })
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
